import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { streamOf, tell, testLabels } from "../testing/sandbox-containers.ts";
import { escapes, hostileTar, treeOf } from "../testing/sandbox-tars.ts";
import type { Container, Sandbox } from "./port.ts";
import { packTree } from "./tar.ts";

/** What every `Sandbox` must do with a grading container: three uids, a hidden grader, `sp-run`. */
export function gradingContract(name: string, open: () => Promise<Sandbox>): void {
  describe(`${name}, a grading container`, () => {
    let sandbox: Sandbox;
    let shared: Container;
    const start = async (): Promise<Container> => {
      const container = await sandbox.open({ role: "grader", labels: testLabels, skill: null });
      const workspace = treeOf({
        "src/app.py": "print('app')\n",
        "tool!": "#!/bin/sh\necho tool $*\n",
        "in.txt": "in",
      });
      await container.unpack(packTree(workspace), "/workspace");
      await container.unpack(
        packTree(treeOf({ "grade!": "#!/bin/sh\nexit 0\n", "secret.txt": "secret" })),
        "/grader",
      );
      return container;
    };

    beforeAll(async () => {
      sandbox = await open();
      shared = await start();
    });
    afterAll(() => shared.dispose());

    test("who is who", async () => {
      const ask =
        "echo $(id -u):$(id -g):$(id -G | tr ' ' ,):$(umask) $USER $HOME $TMPDIR; grep -E 'Cap(Prm|Eff)' /proc/self/status | cut -f2 | sort -u";
      const none = `${"0".repeat(16)}\n`;
      expect((await tell(shared, ask)).out).toBe(
        `1001:1001:1001,1000:0002 grader /tmp/grader /tmp/grader/tmp\n${none}`,
      );
      const candidate = `1002:1000:1000:0002 candidate /tmp/candidate /tmp/candidate/tmp\n${none}`;
      expect((await tell(shared, ask, { user: "candidate" })).out).toBe(candidate);
      expect((await tell(shared, `sp-run -- bash -c "$ASK" 2>&1 | cat`, { env: { ASK: ask } })).out).toBe(
        candidate,
      );
      expect((await tell(shared, ask, { user: "agent" })).out).toContain("1000:1000:1000:0022 agent");
    });

    test("grader and candidate share the private copy, whatever modes either leaves", async () => {
      const told = await tell(
        shared,
        [
          "stat -c '%u:%g %a' src/app.py tool /grader /grader/grade",
          "mkdir made && echo g > made/g.txt",
          "sp-run -- bash -c 'umask 077; echo c > made/c.txt; mkdir private; echo p > private/p; echo more >> made/g.txt; echo x >> in.txt'",
          "cat made/c.txt made/g.txt private/p; echo again >> private/p && rm -r made private",
        ].join("; "),
      );
      expect(told.out).toBe("1000:1000 664\n1000:1000 775\n1001:1001 700\n1001:1001 755\nc\ng\nmore\np\n");
      expect(told.exitCode).toBe(0);
    });

    test.each([
      "cat /grader/secret.txt",
      "ls /grader",
      "cat /proc/$GRADER/environ",
      "ls /proc/$GRADER/fd",
      "cat < /proc/$GRADER/fd/3",
      "echo forged > /proc/$GRADER/fd/3",
      "cat /proc/$GRADER/cwd/secret.txt",
      "cat /proc/1/environ",
      "kill -9 $GRADER",
      "kill -9 1 && kill -0 2",
      "ls /tmp/grader",
      "sp-run -- cat /grader/secret.txt",
    ])("candidate code is refused: %s", async (attempt) => {
      const command =
        'cd /grader; sp-run --env GRADER=$$ -- bash -c "$ATTEMPT" > /tmp/grader/out 2>&1; echo $?; cat /tmp/grader/out >&2';
      const told = await tell(shared, command, { env: { ATTEMPT: attempt }, descriptor3: true });
      expect(told.exitCode).toBe(0);
      expect(told.out).not.toBe("0\n");
      expect(told.three).toBe("");
      expect(told.err).toMatch(/denied|not permitted|sp-run: the tool server could not|No such process/i);
      expect(told.err).not.toContain("secret\n");
    });

    test("descriptor 3 is the grader's, by number and by name, and never the candidate's", async () => {
      const told = await tell(
        shared,
        `echo one >&3; python3 -c "open('/dev/fd/3','w').write('two\\n')"; sp-run -- bash -c 'echo three >&3; ls /proc/self/fd | wc -l'; echo four >&3`,
        { descriptor3: true },
      );
      expect(told.three).toBe("one\ntwo\nfour\n");
      expect(told.err).toContain("3: Bad file descriptor");
      expect((await tell(shared, "echo x >&3")).err).toContain("Bad file descriptor");
    });

    test("what candidate code prints reaches the grader's stdout only when the grader takes it", async () => {
      const told = await tell(
        shared,
        `sp-run -- echo loose; sp-run -- echo three 1>&3; sp-run -- bash -c 'echo err >&2' 2>&1; echo "[$(sp-run -- echo taken)]"; sp-run -- echo piped | cat`,
        { descriptor3: true },
      );
      expect(told.out).toBe("[taken]\npiped\n");
      expect(told.err).toBe("loose\nthree\n");
      expect(told.three).toBe("");
    });

    test.each([
      ["sp-run -- sh -c 'exit 7'", 7, ""],
      ["sp-run -- sh -c 'kill -9 $$'", 137, ""],
      ["sp-run -- sh -c 'kill -TERM $$'", 143, ""],
      ["sp-run -- sh -c 'exit 124'", 124, ""],
      ["sp-run -- no-such-thing", 127, "cannot start the command"],
      ["sp-run -- /grader/grade", 126, "Permission denied"],
      ["sp-run --timeout 0.4 -- sleep 30", 124, "sp-run: stopped after 0.4 s"],
      ["sp-run true", 125, "unknown option true"],
      ["sp-run --", 125, "no command after --"],
      ["sp-run --timeout soon -- true", 125, "positive number"],
      ["sp-run --env NAME -- true", 125, "NAME=VALUE"],
      ["sp-run --cwd /grader -- true", 126, "Permission denied"],
      ["sp-run --memory 50 -- python3 -c 'x = bytearray(200 << 20)'", 1, "MemoryError"],
    ])("%s", async (command, exitCode, words) => {
      const told = await tell(shared, command);
      expect(told).toMatchObject({ exitCode });
      expect(told.err).toContain(words);
    });

    test("streams, folder, environment and arguments are passed on", async () => {
      const told = await tell(
        shared,
        [
          "printf 'a\\nb\\n' | sp-run -- wc -l | cat",
          "cd src && sp-run -- python3 app.py | cat",
          "cd /tmp && sp-run -- ./tool 'a b' \"c'd\" | cat",
          "sp-run --cwd src --env A=1 --env 'B=x=y z' -- sh -c 'pwd; echo $A $B; env | cut -d= -f1 | sort | tr \"\\n\" \" \"' | cat",
          "sp-run -- bash -c 'echo out > /dev/stdout; echo err > /dev/stderr' 2>/dev/null | cat",
        ].join("; "),
        { env: { GRADERS_OWN: "1" } },
      );
      expect(told.out).toBe(
        "2\napp\ntool a b c'd\n/workspace/src\n1 x=y z\nA B HOME LANG LOGNAME PATH PWD SHELL TERM TMPDIR USER out\n",
      );
    });

    test("everything candidate code starts ends with it, whatever it did to get away", async () => {
      const away =
        "sleep 961 & setsid sleep 962 & (setsid env -i sleep 963 &); setsid -f sh -c 'trap \"\" TERM; sleep 964'; echo up";
      expect(
        (
          await tell(
            shared,
            `sp-run -- bash -c "${away.replaceAll('"', '\\"')}" | cat; pgrep -af 'sleep 96[1-4]'`,
          )
        ).out,
      ).toBe("up\n");
      expect(
        (
          await tell(
            shared,
            `sp-run --timeout 0.5 -- bash -c '(setsid sleep 965 &); sleep 966'; pgrep -af 'sleep 96[56]'`,
          )
        ).out,
      ).toBe("");
      expect(
        (
          await tell(
            shared,
            "sp-run -- sleep 967 & sleep 0.4; kill -9 $!; for i in $(seq 50); do pgrep -f '^sleep 967' > /dev/null || break; sleep 0.1; done; pgrep -af '^sleep 967'",
          )
        ).out,
      ).toBe("");
    });

    test("a grader may start a server by one sp-run and a client by another", async () => {
      const told = await tell(
        shared,
        [
          "sp-run -- python3 -m http.server -b 127.0.0.1 8200 > /tmp/grader/log 2>&1 &",
          "for i in $(seq 100); do sp-run -- curl -sf http://localhost:8200/in.txt > /tmp/grader/got 2>/dev/null && break; sleep 0.1; done; grep -c in /tmp/grader/got; kill $!; wait",
        ].join("\n"),
      );
      expect(told.out).toBe("1\n");
    });

    test("a timeout of the grader ends candidate code too", async () => {
      const told = await tell(shared, "sp-run -- sleep 951 & sp-run -- setsid sleep 952 & sleep 953", {
        timeoutMs: 800,
      });
      expect(told.timedOut).toBe(true);
      expect(
        (
          await tell(
            shared,
            "for i in $(seq 50); do pgrep -f '^sleep 95' > /dev/null || break; sleep 0.1; done; pgrep -af '^sleep 95[1-3]'",
          )
        ).out,
      ).toBe("");
    });

    test("files are read and written as the grader", async () => {
      expect(await shared.readFile("/grader/secret.txt", 100)).toMatchObject({
        bytes: Buffer.from("secret"),
      });
      expect(await shared.writeFile("/grader/new/x", Buffer.from("x"))).toEqual({ kind: "written" });
      expect((await tell(shared, "stat -c '%u %a' /grader/new/x; rm -r /grader/new")).out).toBe("1001 664\n");
    });

    test("an agent's container has no sp-run to use and no grader", async () => {
      const container = await sandbox.open({ role: "agent", labels: testLabels, skill: null });
      try {
        expect(await tell(container, "sp-run -- true")).toMatchObject({ exitCode: 125 });
        await expect(tell(container, "true", { user: "grader" })).rejects.toThrow('no user "grader"');
        await expect(container.unpack(packTree([]), "/grader")).rejects.toThrow("no /grader");
      } finally {
        await container.dispose();
      }
    });

    test("a hostile snapshot cannot write outside /workspace, nor a fork bomb end the grading", async () => {
      const container = await sandbox.open({ role: "grader", labels: testLabels, skill: null });
      try {
        await container.unpack(streamOf(await hostileTar()), "/workspace");
        expect((await tell(container, `cat ${escapes.join(" ")}; cat good.txt`)).out).toBe("good");
        const told = await tell(
          container,
          "sp-run --timeout 1 -- bash -c 'b() { b | b & }; b; sleep 30' 2>/dev/null; echo $?; sp-run -- echo alive | cat",
        );
        expect(told.out).toBe("124\nalive\n");
      } finally {
        await container.dispose();
      }
    });
  });
}
