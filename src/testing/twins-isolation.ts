import {
  connectOut,
  hostNetwork,
  noFence,
  noFilter,
  noOwnFilter,
  python,
  root,
  type Row,
  tried,
} from "./twins.ts";

export const network: readonly Row[] = [
  { probe: "interfaces", command: "ls /sys/class/net", closed: /^lo$/, off: hostNetwork, open: /^(?!lo$)./m },
  {
    probe: "counted interfaces",
    command: "tail -n +3 /proc/net/dev | wc -l",
    closed: /^1$/,
    off: hostNetwork,
    open: /^([2-9]|\d\d+)$/,
  },
  {
    probe: "routes",
    command: "tail -n +2 /proc/net/route | wc -l",
    closed: /^0$/,
    off: hostNetwork,
    open: /^[1-9]/,
  },
  {
    probe: "a connection outside",
    command: python(connectOut),
    closed: /^ENETUNREACH$/,
    off: hostNetwork,
    open: /^connected$/,
  },
  {
    probe: "names",
    command: "getent hosts example.com",
    closed: /^$/,
    off: { NetworkDisabled: false, HostConfig: { ExtraHosts: ["example.com:192.0.2.7"] } },
    open: /^192\.0\.2\.7/,
  },
  {
    probe: "IPv6 on lo",
    command: "cat /proc/sys/net/ipv6/conf/lo/disable_ipv6",
    closed: /^1$/,
    off: { HostConfig: { Sysctls: {} } },
    open: /^0$/,
  },
];

export const privileges: readonly Row[] = [
  {
    probe: "capabilities within reach",
    command: "grep CapBnd /proc/self/status",
    closed: /\t0{16}$/,
    off: { HostConfig: { CapDrop: [] } },
    open: /\t0*[1-9a-f][0-9a-f]+$/,
  },
  { probe: "the user", command: "id -u", closed: /^1000$/, off: root, open: /^0$/ },
  {
    probe: "no new privileges",
    command: "grep NoNewPrivs /proc/self/status",
    closed: /\t1$/,
    off: { ...noOwnFilter, HostConfig: { SecurityOpt: [] } },
    open: /\t0$/,
  },
  {
    probe: "a setuid program of the image",
    command: tried("chage -l agent > /dev/null"),
    closed: /^refused$/,
    off: { ...noOwnFilter, HostConfig: { SecurityOpt: [], CapDrop: [] } },
    open: /^done$/,
  },
  {
    probe: "the system call filter",
    command: "grep Seccomp: /proc/self/status",
    closed: /\t2$/,
    off: { ...noOwnFilter, HostConfig: { SecurityOpt: ["seccomp=unconfined"] } },
    open: /\t0$/,
  },
  {
    probe: "mount",
    command: tried("mount -t tmpfs none /tmp"),
    closed: /^refused$/,
    off: {
      ...root,
      HostConfig: {
        CapDrop: [],
        CapAdd: ["SYS_ADMIN"],
        SecurityOpt: ["seccomp=unconfined", "apparmor=unconfined"],
      },
    },
    open: /^done$/,
  },
  {
    probe: "mknod",
    command: tried("mknod /tmp/null c 1 3"),
    closed: /^refused$/,
    off: root,
    open: /^done$/,
  },
  {
    probe: "unshare",
    command: tried("unshare -Ur true"),
    closed: /^refused$/,
    off: { ...noFence, HostConfig: { SecurityOpt: noFilter } },
    open: /^done$/,
  },
];
