import {
  folder,
  fork400,
  memory,
  noFence,
  python,
  root,
  type Row,
  server,
  tried,
  unfenced,
} from "./twins.ts";

export const serverItself: readonly Row[] = [
  {
    probe: "the server's environment",
    command: "cat /proc/1/environ 2> /dev/null | tr '\\0' '\\n' | grep -c ^SECRET",
    base: { Env: ["SECRET=1"] },
    closed: /^0$/,
    // The fence alone would keep it, too.
    off: { ...server(`${unfenced}; processes.conceal = lambda: None`), Env: ["SECRET=1"] },
    open: /^1$/,
  },
  {
    probe: "the server's descriptors",
    command: "ls /proc/1/fd 2> /dev/null | wc -l",
    closed: /^0$/,
    off: server("processes.conceal = lambda: None"),
    open: /^[1-9]/,
  },
  {
    probe: "killing the server",
    command: "kill -9 1 $(pgrep -f '[t]oolserver.py') 2> /dev/null; sleep 0.2; echo alive",
    closed: /^alive$/,
    // Not PID 1: a program above it takes that place.
    off: { Cmd: ["bash", "-c", `python3 -I -S -B ${folder}/toolserver.py agent 600; exit 0`] },
    open: /^lost$/,
  },
  {
    probe: "being as hard to choose as the server when memory ends",
    command: tried("echo 0 > /proc/self/oom_score_adj"),
    closed: /^refused$/,
    off: noFence,
    open: /^done$/,
  },
  {
    probe: "the host's name",
    command: "cat /proc/sys/kernel/hostname",
    closed: /^sandbox$/,
    off: { Hostname: "" },
    open: /^[0-9a-f]{12}$/,
  },
];

export const limits: readonly Row[] = [
  {
    probe: "processes",
    command: python(fork400),
    closed: /^stopped$/,
    off: { HostConfig: { PidsLimit: 0 } },
    open: /^all$/,
  },
  {
    probe: "memory",
    command: tried(python("b'x' * (1100 << 20)")),
    closed: /refused$/,
    off: { HostConfig: { Memory: 0, MemorySwap: 0 } },
    open: /^done$/,
  },
  {
    probe: "CPU",
    command: "cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu.max 2> /dev/null",
    closed: /^100000/,
    off: { HostConfig: { NanoCpus: 0 } },
    open: /^(-1|max)/,
  },
  {
    probe: "bytes in /workspace",
    command: tried("head -c 257M /dev/zero > fill"),
    closed: /^refused$/,
    off: {
      HostConfig: {
        Tmpfs: { "/workspace": memory("nosuid,nodev,uid=1000,gid=1000"), "/tmp": "exec,mode=1777" },
      },
    },
    open: /^done$/,
  },
  {
    probe: "files in /workspace",
    command: "stat -f -c %c /workspace",
    closed: /^\d{1,5}$/,
    off: {
      HostConfig: {
        Tmpfs: { "/workspace": memory("nosuid,nodev,uid=1000,gid=1000"), "/tmp": "exec,mode=1777" },
      },
    },
    open: /^\d{6,}$/,
  },
  {
    probe: "bytes in /dev/shm",
    command: tried("head -c 33M /dev/zero > /dev/shm/fill"),
    closed: /^refused$/,
    off: { HostConfig: { ShmSize: 64 << 20 } },
    open: /^done$/,
  },
];

export const files: readonly Row[] = [
  {
    probe: "the root file system",
    command: tried("touch /var/tmp/x"),
    closed: /^refused$/,
    off: { HostConfig: { ReadonlyRootfs: false } },
    open: /^done$/,
  },
  {
    probe: "a device node in a memory mount",
    command: "mknod -m 666 /tmp/null c 1 3; " + tried("echo x > /tmp/null"),
    base: root,
    closed: /^refused$/,
    off: { ...root, HostConfig: { CapDrop: [], Tmpfs: { "/workspace": "", "/tmp": memory("nosuid,dev") } } },
    open: /^done$/,
  },
  {
    probe: "a setuid file in a memory mount",
    command: "cp /usr/bin/id /tmp/id; chmod 4755 /tmp/id; setpriv --reuid 1000 --clear-groups /tmp/id -u",
    base: { ...root, HostConfig: { CapDrop: [], SecurityOpt: [] } },
    closed: /^1000$/,
    off: {
      ...root,
      HostConfig: {
        CapDrop: [],
        SecurityOpt: [],
        Tmpfs: { "/workspace": "", "/tmp": memory("suid,nodev") },
      },
    },
    open: /^0$/,
  },
  {
    probe: "writing to /skill",
    // A memory mount stands for the volume: this is about the mount being read-only, not about who owns its files.
    command: tried("touch /skill/x"),
    base: {
      ...root,
      HostConfig: { CapDrop: [], Mounts: [{ Type: "tmpfs", Source: "", Target: "/skill", ReadOnly: true }] },
    },
    closed: /^refused$/,
    off: {
      ...root,
      HostConfig: { CapDrop: [], Mounts: [{ Type: "tmpfs", Source: "", Target: "/skill", ReadOnly: false }] },
    },
    open: /^done$/,
  },
  {
    probe: "mounts besides the engine's own",
    command: "cut -d' ' -f5 /proc/self/mountinfo | grep -vE '^/(proc|sys|dev)(/|$)' | sort",
    closed: /^\/\n(\/etc\/hostname\n)?\/tmp\n\/workspace$/,
    off: { HostConfig: { Binds: ["/tmp:/host:ro"] } },
    open: /^\/host$/m,
  },
  {
    probe: "/skill and /grader",
    command: "ls -d /skill /grader 2> /dev/null",
    closed: /^$/,
    off: {
      HostConfig: { Tmpfs: { "/workspace": "", "/tmp": "exec,mode=1777", "/skill": "", "/grader": "" } },
    },
    open: /^\/grader\n\/skill$/,
  },
  {
    probe: "kernel files that engines hide",
    command: "cut -d' ' -f5 /proc/self/mountinfo | grep -cE '^/proc/(keys|sys|sysrq-trigger)$'",
    closed: /^[23]$/,
    off: { HostConfig: { MaskedPaths: [], ReadonlyPaths: [] } },
    open: /^0$/,
  },
];
