import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bytesOf, tell, testLabels } from "../testing/sandbox-containers.ts";
import type { Container, Sandbox } from "./port.ts";

const MiB = 2 ** 20;

/** Commands and files in an agent's container. */
export function commandsContract(name: string, open: () => Promise<Sandbox>): void {
  describe(`${name}, commands and files`, () => {
    let sandbox: Sandbox;
    let shared: Container;

    beforeAll(async () => {
      sandbox = await open();
      shared = await sandbox.open({ role: "agent", labels: testLabels, skill: null });
    });
    afterAll(() => shared.dispose());

    test.each([
      ["exit 0", 0, null],
      ["exit 3", 3, null],
      ["no-such-command", 127, null],
      ["set -e; false; exit 0", 1, null],
      ["kill -9 $$", null, "SIGKILL"],
      ["kill -SEGV $$", null, "SIGSEGV"],
      ["echo 'unbalanced", 2, null],
      ["exec 1>&- 2>&-; exit 5", 5, null],
      ["kill -9 1; kill -9 $PPID; kill -TERM 1; exit 4", 4, null],
    ])("exit codes and signals: %s", async (command, exitCode, signal) => {
      expect(await tell(shared, command)).toMatchObject({
        exitCode,
        signal,
        timedOut: false,
        outOfMemory: false,
      });
    });

    test("a command that cannot be started is an answer", async () => {
      expect(await tell(shared, "true", { cwd: "/nowhere" })).toMatchObject({
        exitCode: 126,
        err: "skillproof: cannot start the command: [Errno 2] No such file or directory: '/nowhere'\n",
      });
      const long = await tell(shared, `: ${"x".repeat(200_000)}`);
      expect(long.exitCode).toBe(126);
      expect(long.err).toContain("Argument list too long");
    });

    test("streams are apart, bytes are kept, stdin is empty", async () => {
      const told = await tell(
        shared,
        String.raw`printf 'a\0\377'; printf 'bad' >&2; cat; test -t 0 || printf '|'`,
      );
      expect(bytesOf(told.stdout)).toEqual(Buffer.from("a\0\xff|", "latin1"));
      expect(told.err).toBe("bad");
    });

    test("the environment is short and known; cwd and env of the request are added", async () => {
      const told = await tell(
        shared,
        "env | grep -v ^_= | cut -d= -f1 | sort | tr '\\n' ' '; pwd; echo $EXTRA",
        {
          cwd: "/tmp",
          env: { EXTRA: "a b" },
        },
      );
      expect(told.out).toBe(
        "EXTRA HOME LANG LOGNAME PATH PWD SHELL SHLVL SKILLPROOF_CALL TERM TMPDIR USER /tmp\na b\n",
      );
      expect((await tell(shared, "touch $HOME/x $TMPDIR/y && id -u -n")).out).toBe("agent\n");
    });

    test("output past the limit is cut in the middle and counted", async () => {
      const command = "seq -w 1 200000; seq -w 1 3 >&2";
      const told = await tell(shared, command, { maxOutputBytes: 1000 });
      expect(told.stdout.totalBytes).toBe(1_400_000);
      expect(Buffer.from(told.stdout.head).toString()).toMatch(/^000001\n.{493}$/s);
      expect(Buffer.from(told.stdout.tail).toString()).toMatch(/^.{493}200000\n$/s);
      expect(told.stderr).toMatchObject({ totalBytes: 6 });
      expect(told.err).toBe("1\n2\n3\n");
      expect((await tell(shared, "printf 12345", { maxOutputBytes: 5 })).out).toBe("12345");
    });

    test("a timeout ends everything the command started, whatever it did to get away", async () => {
      const command = [
        "trap '' TERM INT",
        "sleep 991 & setsid sleep 992 & (setsid env -i sleep 993 &) ",
        "env -i setsid -f bash -c 'while :; do sleep 994 & wait; done'",
        "echo started; sleep 995",
      ].join("; ");
      const told = await tell(shared, command, { timeoutMs: 700 });
      expect(told).toMatchObject({ timedOut: true, exitCode: null, signal: "SIGKILL", out: "started\n" });
      expect(told.seconds).toBeLessThan(6);
      expect((await tell(shared, "pgrep -af 'sleep 99[1-5]'")).out).toBe("");
    });

    test("a timeout spares what an earlier command left running", async () => {
      await tell(shared, "sleep 981 > /dev/null 2>&1 &");
      expect((await tell(shared, "sleep 982", { timeoutMs: 300 })).timedOut).toBe(true);
      expect((await tell(shared, "pgrep -f 'sleep 98[12]' | wc -l; pkill -f 'sleep 98[1]'")).out).toBe("1\n");
    });

    test("abort ends the command and leaves the container usable", async () => {
      const controller = new AbortController();
      const running = tell(shared, "sleep 971", {}, controller.signal);
      const gone = new Error("enough");
      setTimeout(() => {
        controller.abort(gone);
      }, 300);
      await expect(running).rejects.toBe(gone);
      expect((await tell(shared, "pgrep -af 'sleep 97[1]'; echo next")).out).toBe("next\n");
    });

    test("answers when bash has exited, and says what it left", async () => {
      const told = await tell(shared, "(sleep 1.5; echo late) & echo done");
      expect(told).toMatchObject({ exitCode: 0, leftProcesses: true, out: "done\n" });
      expect(told.seconds).toBeLessThan(1.4);
      expect((await tell(shared, "sleep 1.8 & wait; echo ok")).leftProcesses).toBe(false);
    });

    test("calls are serial", async () => {
      const [first, second] = await Promise.all([
        tell(shared, "sleep 0.3; date +%s%N"),
        tell(shared, "date +%s%N"),
      ]);
      expect(Number(second.out)).toBeGreaterThan(Number(first.out));
    });

    test("files: 30 MB there and back, parent folders, limits", async () => {
      const bytes = randomBytes(30 * MiB);
      expect(await shared.writeFile("/workspace/deep/er/big.bin", bytes)).toEqual({ kind: "written" });
      const whole = await shared.readFile("/workspace/deep/er/big.bin", 40 * MiB);
      expect(whole).toMatchObject({ kind: "read", totalBytes: bytes.length });
      expect(whole.kind === "read" && bytes.equals(whole.bytes)).toBe(true);
      const part = await shared.readFile("/workspace/deep/er/big.bin", 10);
      expect(part).toEqual({ kind: "read", totalBytes: bytes.length, bytes: bytes.subarray(0, 10) });
      expect(await shared.writeFile("/workspace/deep/er/big.bin", Buffer.from("short"))).toEqual({
        kind: "written",
      });
      expect((await tell(shared, "cat deep/er/big.bin; rm -r deep")).out).toBe("short");
    });

    test.each([
      ["/workspace/none", "No such file or directory"],
      ["/workspace", "Is a directory"],
      ["/root/x", "Permission denied"],
      ["/workspace/fifo", "Not a regular file"],
      ["/dev/zero", "Not a regular file"],
      ["/workspace/nul\0byte", "embedded null byte"],
      ["/workspace/loop", "Too many levels of symbolic links"],
      [`/workspace/${"n".repeat(300)}`, "File name too long"],
    ])("reading %j is refused: %s", async (path, reason) => {
      await tell(shared, "mkfifo -m 600 fifo; ln -s loop loop");
      const answer = await shared.readFile(path, 100);
      expect(answer).toMatchObject({ kind: "refused" });
      expect(answer.kind === "refused" && answer.reason).toContain(reason);
    });

    test.each([
      ["/workspace", "directory"],
      ["/etc/passwd", "Permission denied"],
      ["/new", "Read-only file system"],
      ["/workspace/good/file", "Not a directory"],
      ["/dev/full", "Not a regular file"],
      ["/workspace/fifo", "No such device or address"],
    ])("writing %j is refused: %s", async (path, reason) => {
      await tell(shared, "touch good; mkfifo -m 600 fifo");
      const answer = await shared.writeFile(path, Buffer.from("x"));
      expect(answer.kind === "refused" && answer.reason).toMatch(new RegExp(reason, "i"));
    });
  });
}
