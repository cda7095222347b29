/** One attempt in numbers: a role, an arm and a source by their place in a list, money in billionths of a dollar, NaN for null. */
export type PaidRow = {
  readonly role: number;
  readonly arm: number;
  readonly source: number;
  readonly cost: number;
  readonly upTo: number;
  readonly ended: boolean;
};

const width = 6;
/** Ids up to here are looked up in a list, which takes four bytes for each; others, which nobody gives, in a map. */
const mostListed = 2 ** 24;

/** Attempts by id, in the order in which they came first. There may be millions: as objects they are gigabytes. */
export class PaidRows {
  private numbers = new Float64Array(width * 1024);
  private ids = new Float64Array(1024);
  /** Row of each id and 1; 0 where there is none. */
  private listed = new Uint32Array(1024);
  private readonly mapped = new Map<number, number>();
  private rows = 0;
  private endedRows = 0;

  get ended(): number {
    return this.endedRows;
  }

  has(id: number): boolean {
    return this.rowOf(id) !== undefined;
  }

  /** Takes the place of what was there of that id. */
  set(id: number, { role, arm, source, cost, upTo, ended }: PaidRow): void {
    const row = this.rowOf(id) ?? this.begin(id);
    const at = row * width;
    const wasEnded = this.numbers[at + 5] === 1;
    if (ended && !wasEnded) this.endedRows++;
    this.numbers.set([role, arm, source, cost, upTo, ended || wasEnded ? 1 : 0], at);
  }

  *all(): Generator<PaidRow & { readonly id: number }> {
    for (let row = 0; row < this.rows; row++) {
      const [role = 0, arm = 0, source = 0, cost = 0, upTo = 0, ended] = this.numbers.subarray(
        row * width,
        (row + 1) * width,
      );
      yield { id: this.ids[row] ?? 0, role, arm, source, cost, upTo, ended: ended === 1 };
    }
  }

  private rowOf(id: number): number | undefined {
    if (id >= mostListed) return this.mapped.get(id);
    const row = this.listed[id] ?? 0;
    return row === 0 ? undefined : row - 1;
  }

  private begin(id: number): number {
    const row = this.rows++;
    if (row === this.ids.length) {
      this.ids = grown(this.ids, new Float64Array(row * 2));
      this.numbers = grown(this.numbers, new Float64Array(row * 2 * width));
    }
    this.ids[row] = id;
    if (id >= mostListed) this.mapped.set(id, row);
    else {
      if (id >= this.listed.length)
        this.listed = grown(this.listed, new Uint32Array(2 ** Math.ceil(Math.log2(id + 1))));
      this.listed[id] = row + 1;
    }
    return row;
  }
}

function grown<T extends Float64Array | Uint32Array>(before: T, larger: T): T {
  larger.set(before);
  return larger;
}
