import { attackTests } from "../testing/attacks/attack-tests.ts";
import { attackPack } from "../testing/attacks/pack.ts";

attackTests(
  attackPack.filter(({ short }) => short !== true),
  600_000,
);
