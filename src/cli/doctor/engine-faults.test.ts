import { hostname } from "node:os";
import { afterAll, beforeAll, beforeEach, test, vi } from "vitest";
import { ownerLabel } from "../../sandbox/owner.ts";
import { DoctorRig, expectFault, type Fault } from "../../testing/doctor-command.ts";

vi.setConfig({ testTimeout: 60_000 });

let rig: DoctorRig;
beforeAll(async () => {
  rig = await DoctorRig.open();
});
afterAll(() => rig.close());
beforeEach(() => rig.begin());

const faults: readonly Fault[] = [
  {
    what: "no engine",
    change: { sandbox: { socket: "/no/such/docker.sock" } },
    row: {
      check: "engine",
      state: "fail",
      found: /No Docker engine answers/,
      mend: /^sudo systemctl start docker$/,
    },
    code: 3,
  },
  {
    what: "one of two engines away",
    change: ({ engine }) => ({
      sandbox: {
        socket: undefined,
        endpoints: [{ address: engine.socket }, { address: "tcp://127.0.0.1:1" }],
      },
    }),
    row: {
      check: "engine tcp://127.0.0.1:1",
      state: "fail",
      found: /ECONNREFUSED/,
      mend: /^docker -H tcp:\/\/127\.0\.0\.1:1 info$/,
    },
    code: 3,
  },
  {
    what: "socket and endpoints at once",
    change: ({ engine }) => ({ sandbox: { endpoints: [{ address: engine.socket }] } }),
    row: { check: "engine", state: "fail", found: /cannot be used with sandbox\.endpoints/, mend: /socket/ },
    code: 2,
  },
  {
    what: "an engine whose answers are none",
    answers: { "/version": [], "/info": 7 },
    row: {
      check: "engine",
      state: "fail",
      found: /^what answers there is no Docker engine/,
      mend: /docker -H .* info/,
    },
    code: 3,
  },
  {
    what: "no image of today's recipe",
    change: { sandbox: { packages: ["figlet"] } },
    answers: { "/images/json": [{ Id: "old" }] },
    row: {
      check: "engine image",
      state: "warn",
      found: /none of today's recipe .* \(1 of other recipes are\)/,
      mend: /^skillproof image$/,
    },
    code: 0,
  },
  {
    what: "an image of one's own that is not there",
    change: { sandbox: { image: "my/image:1" } },
    row: {
      check: "engine image",
      state: "warn",
      found: /does not have my\/image:1/,
      mend: /pull my\/image:1$/,
    },
    code: 0,
  },
  {
    what: "a container of a dead process",
    answers: {
      "/containers/json": [
        { Id: "c1", Names: ["/left"], Labels: { [ownerLabel]: `${hostname()}/${2 ** 30}/0@x` } },
      ],
    },
    row: {
      check: "engine leftovers",
      state: "warn",
      found: /1 of dead processes: left/,
      mend: /^skillproof clean$/,
    },
    code: 0,
  },
  {
    what: "a file of a dead process",
    prepare: (rig) => rig.write(`out/x.json.${2 ** 30}.0-0.tmp`, "half"),
    row: { check: "leftover files", state: "warn", found: /1 of dead processes/, mend: /^skillproof clean$/ },
    code: 0,
  },
  {
    what: "limits that do not go together",
    change: { sandbox: { memoryMiB: 100 } },
    row: {
      check: "sandbox limits",
      state: "fail",
      found: /sandbox\.memoryMiB: 100 is too small/,
      mend: /memoryMiB/,
    },
    code: 2,
  },
];

test.each(faults)("$what", (fault) => expectFault(fault, rig));
