import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FileTree } from "../artefacts/tree.ts";
import { collect, streamOf, tell, testLabels } from "../testing/sandbox-containers.ts";
import { escapes, hostileTar, treeOf } from "../testing/sandbox-tars.ts";
import type { Container, Sandbox } from "./port.ts";
import type { SandboxSettings } from "./settings.ts";
import { packTree } from "./tar.ts";

const MiB = 2 ** 20;

/** Isolation, limits and snapshots of an agent's container, whose workspace lives in memory or in a volume. */
export function confinementContract(
  name: string,
  open: () => Promise<Sandbox>,
  workspace: SandboxSettings["workspace"] = "tmpfs",
): void {
  describe(`${name}, confinement`, () => {
    let sandbox: Sandbox;
    let shared: Container;
    const withContainer = async (
      act: (container: Container) => Promise<void>,
      skill: FileTree | null = null,
    ) => {
      const container = await sandbox.open({ role: "agent", labels: testLabels, skill });
      try {
        await act(container);
      } finally {
        await container.dispose();
      }
    };

    beforeAll(async () => {
      sandbox = await open();
      shared = await sandbox.open({ role: "agent", labels: testLabels, skill: null });
    });
    afterAll(() => shared.dispose());

    test("there is no network, and localhost works", async () => {
      const server =
        "node -e 'require(`http`).createServer((q,r)=>r.end(`hi`)).listen(8123,`127.0.0.1`)' > /dev/null 2>&1 &";
      const wait = "for i in $(seq 100); do curl -sf http://localhost:8123/ && break; sleep 0.1; done";
      expect((await tell(shared, `${server} ${wait}; pkill node`)).out).toBe("hi");
      const told = await tell(
        shared,
        "ls /sys/class/net; cat /proc/net/route | tail -n +2; curl -s -m 5 http://192.0.2.1; echo $?; curl -s -m 5 http://example.com; echo $?",
      );
      expect(told.out).toBe("lo\n7\n6\n");
    });

    test("the root is read-only, nothing can be gained, the server cannot be read", async () => {
      const told = await tell(
        shared,
        "grep -E 'Cap(Prm|Eff|Bnd)|NoNewPrivs' /proc/self/status | tr -d '\\t'; touch /usr/x",
      );
      expect(told.out).toBe(
        ["CapPrm", "CapEff", "CapBnd"].map((n) => `${n}:${"0".repeat(16)}\n`).join("") + "NoNewPrivs:1\n",
      );
      expect(told.err).toContain("Read-only file system");
      expect((await tell(shared, "cat /proc/1/environ; ls /proc/1/fd; echo x > /proc/1/fd/1")).out).toBe("");
      expect((await tell(shared, "ls -d /skill /grader")).out).toBe("");
      const kind = await tell(shared, "stat -f -c %T /workspace");
      expect(kind.out === "tmpfs\n").toBe(workspace === "tmpfs");
    });

    test("programs can be built and executed in /workspace and /tmp", async () => {
      const program =
        "echo 'int main(void){return 42;}' > p.c && gcc p.c -o p && cp p /tmp/p && ./p; echo $?; /tmp/p; echo $?";
      expect((await tell(shared, program)).out).toBe("42\n42\n");
    });

    test("the skill lies read-only at /skill, nested and with its modes", async () => {
      const skill = treeOf({ "SKILL.md": "# s", "scripts/deep/tool.sh!": "#!/bin/sh\necho tool\n" });
      await withContainer(async (container) => {
        const told = await tell(
          container,
          "cat /skill/SKILL.md; /skill/scripts/deep/tool.sh; echo x >> /skill/SKILL.md; rm -rf /skill/scripts; mkdir /skill/new; ls /skill",
        );
        expect(told.out).toBe("# stool\nSKILL.md\nscripts\n");
        expect(told.err).toContain("Read-only file system");
      }, skill);
    });

    test("out of memory is said, and the container lives on", async () => {
      await withContainer(async (container) => {
        const told = await tell(container, `python3 -c "b'x' * (2 << 30)"; echo after $?`);
        expect(told).toMatchObject({ outOfMemory: true, out: "after 137\n" });
        expect(await tell(container, "echo alive")).toMatchObject({ outOfMemory: false, out: "alive\n" });
      });
    });

    if (workspace === "tmpfs") fullWorkspace(withContainer);

    test("a fork bomb is contained", async () => {
      await withContainer(async (container) => {
        const told = await tell(container, "bomb() { bomb | bomb & }; bomb; sleep 30", { timeoutMs: 1500 });
        expect(told.seconds).toBeLessThan(15);
        expect(await collect(container.snapshot())).not.toHaveLength(0);
        expect((await tell(container, "echo alive; ps ax | wc -l")).out).toMatch(/^alive\n\d\n$/);
      });
    });

    test("a container full of processes answers, and still gives its snapshot", async () => {
      await withContainer(async (container) => {
        const fill =
          "import os, time\nwhile True:\n try:\n  os.fork() or time.sleep(600)\n except OSError: time.sleep(0.001)";
        const start = `echo kept > kept; python3 -c "$FILL" > /dev/null 2>&1 &`;
        await tell(container, start, { env: { FILL: fill } });
        const none = /cannot start a process/;
        let told = await tell(container, "sleep 0.1");
        for (let tries = 0; tries < 100 && told.exitCode !== 126; tries++) {
          told = await tell(container, "sleep 0.1");
        }
        expect(told).toMatchObject({ exitCode: 126 });
        expect(told.err).toMatch(none);
        const read = await container.readFile("/workspace/kept", 10);
        const written = await container.writeFile("/workspace/new", Buffer.from("x"));
        expect(
          [read, written].map((answer) => answer.kind === "refused" && none.test(answer.reason)),
        ).toEqual([true, true]);
        expect((await collect(container.snapshot())).includes("kept")).toBe(true);
      });
    });

    test("a folder too deep for any path neither breaks the snapshot nor its unpacking", async () => {
      const dig =
        "import os\nfor _ in range(1200):\n os.mkdir('deep')\n os.chdir('deep')\nopen('end','w').write('x')";
      await withContainer(async (container) => {
        await tell(container, `echo kept > kept; python3 -c "$DIG"`, { env: { DIG: dig } });
        const tar = await collect(container.snapshot());
        await withContainer(async (second) => {
          await second.unpack(streamOf(tar), "/workspace");
          expect((await tell(second, "cat kept")).out).toBe("kept\n");
        });
      });
    });

    test("a snapshot kills what is left and holds everything", async () => {
      await withContainer(async (container) => {
        await container.unpack(
          packTree(treeOf({ "a/b.txt": "text", "bin/run!": "#!/bin/sh\n" })),
          "/workspace",
        );
        await tell(container, "while :; do date +%N >> busy; done > /dev/null 2>&1 &");
        await tell(
          container,
          "ln -s ../../etc out; ln a/b.txt hard; mkfifo pipe; truncate -s 1T huge; mkdir locked empty; echo s > locked/s; chmod 0 locked a/b.txt; printf x > $'\\xff\\xfe'",
        );
        const tar = await collect(container.snapshot());
        expect(tar.length).toBeLessThan(2 * MiB);
        expect((await tell(container, "pgrep -c bash")).out).toBe("0\n");
        const second = await sandbox.open({ role: "agent", labels: testLabels, skill: null });
        try {
          expect(await second.unpack(streamOf(tar), "/workspace")).toEqual({ refused: "" });
          const told = await tell(
            second,
            "readlink out; cat hard a/b.txt locked/s; stat -c '%s %F' huge pipe; stat -c %a bin/run; ls -d empty; cat $'\\xff\\xfe'",
          );
          expect(told.out).toBe("../../etc\ntexttexts\n1099511627776 regular file\n0 fifo\n755\nempty\nx");
        } finally {
          await second.dispose();
        }
      });
    });

    test("a snapshot that nobody reads to its end does not block the container", async () => {
      await withContainer(async (container) => {
        await tell(container, "head -c 50M /dev/urandom > big");
        for await (const piece of container.snapshot()) {
          expect(piece.length).toBeGreaterThan(0);
          break;
        }
        expect((await tell(container, "echo next")).out).toBe("next\n");
      });
    });

    test("a hostile tar writes nothing outside, and its refusals are named", async () => {
      await withContainer(async (container) => {
        const { refused } = await container.unpack(streamOf(await hostileTar()), "/workspace");
        expect(refused).toContain("Operation not permitted");
        const told = await tell(
          container,
          `cat good.txt; cat ${escapes.join(" ")} 2>/dev/null; stat -c '%u %a' root-shell; ls -d null disk hard`,
        );
        expect(told.out).toBe("good1000 4755\n");
      });
    });

    test("a tar source that fails fails the unpacking with its own error", async () => {
      const broken = async function* (): AsyncGenerator<Uint8Array> {
        yield* packTree(treeOf({ "a.txt": "a" }));
        throw new Error("the disk is gone");
      };
      await withContainer(async (container) => {
        await expect(container.unpack(broken(), "/workspace")).rejects.toThrow("the disk is gone");
        expect((await tell(container, "echo next")).out).toBe("next\n");
      });
    });
  });
}

/** A volume has no quota, so that this holds in memory only. */
function fullWorkspace(withContainer: (act: (container: Container) => Promise<void>) => Promise<void>): void {
  test("a full workspace is an error of the command, not of the container", async () => {
    await withContainer(async (container) => {
      const { err } = await tell(container, "head -c 2G /dev/zero > fill");
      expect(err).toContain("No space left on device");
      const written = await container.writeFile("/workspace/more", Buffer.alloc(100));
      expect(written).toEqual({ kind: "refused", reason: "No space left on device" });
      expect((await tell(container, "rm fill; echo ok > more; cat more")).out).toBe("ok\n");
    });
  });
}
