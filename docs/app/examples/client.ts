// A sample client: a customer joins a waitlist, waits, accepts an offer and goes out again.
// Compile it, and run it with `node client.js http://127.0.0.1:8080 WAITLIST_ID`.
const TRIES = 8;

/** An error response. `status` is 0 if no response arrived. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly retryAfter = 1,
  ) {
    super(detail);
  }

  get isRetryable(): boolean {
    // A response of API Gateway itself, and not of the service, has no code.
    const isFromGateway = this.status === 500 && this.code === "";
    return isFromGateway || [0, 429, 502, 503, 504].includes(this.status);
  }
}

export interface Entry {
  entry_id: string;
  entry_token: string;
}

export interface Poll {
  status: "joining" | "waiting" | "offered" | "admitted" | "parked" | "leaving" | "left";
  position: number | null;
  offered_until: string | null;
  poll_after_seconds: number | null;
}

const pause = (seconds: number) => new Promise((done) => setTimeout(done, seconds * 1000));

export class Waitlist {
  private readonly entries: string;

  constructor(api: string, waitlistId: string) {
    this.entries = `${api}/v1/waitlists/${waitlistId}/entries`;
  }

  /**
   * Sign up, and return the entry with its token.
   *
   * Store `key` until the entry is stored. A repeat with the same key is the same signup.
   */
  join(customerId: string, profile: object, key: string): Promise<Entry & Poll> {
    const body = { customer_id: customerId, profile };
    return this.call("POST", "", { body, key });
  }

  poll(entry: Entry): Promise<Poll> {
    return this.callEntry("GET", entry);
  }

  enter(entry: Entry): Promise<{ pass: string | null; inside_until: string | null }> {
    return this.callEntry("POST", entry, "/enter");
  }

  /** Pass the offer on to the next customer, and wait at the end of the queue. */
  decline(entry: Entry, offeredUntil: string): Promise<Poll> {
    return this.callEntry("POST", entry, "/decline", { to: "back", offered_until: offeredUntil });
  }

  exit(entry: Entry): Promise<unknown> {
    return this.callEntry("POST", entry, "/exit");
  }

  leave(entry: Entry): Promise<unknown> {
    return this.callEntry("DELETE", entry);
  }

  private callEntry<T>(method: string, entry: Entry, rest = "", body?: object): Promise<T> {
    return this.call(method, `/${entry.entry_id}${rest}`, { body, token: entry.entry_token });
  }

  /** Send a request. Repeat it unchanged if the error may be temporary. */
  private async call<T>(
    method: string,
    path: string,
    { body, token, key }: { body?: object; token?: string; key?: string },
  ): Promise<T> {
    const headers: Record<string, string> = {};
    if (body) headers["Content-Type"] = "application/json";
    if (token) headers.Authorization = `Bearer ${token}`;
    if (key) headers["Idempotency-Key"] = key;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.sendOnce<T>(path, { method, headers, body: body && JSON.stringify(body) });
      } catch (error) {
        if (!(error instanceof Problem && error.isRetryable) || attempt === TRIES - 1) throw error;
        await pause(error.retryAfter + Math.random() * Math.min(2 ** attempt, 8));
      }
    }
  }

  private async sendOnce<T>(path: string, options: RequestInit): Promise<T> {
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(this.entries + path, { ...options, signal: AbortSignal.timeout(30_000) });
      text = await answer.text();
    } catch (error) {
      throw new Problem(0, "", String(error));
    }
    if (answer.ok) return (text ? JSON.parse(text) : null) as T;
    let problem: { code?: string; detail?: string } = {};
    try {
      problem = JSON.parse(text);
    } catch {
      // The body is not JSON, for example because a proxy has answered. The status is enough.
    }
    const retryAfter = Math.min(Number(answer.headers.get("Retry-After") ?? 1), 30);
    throw new Problem(answer.status, problem.code ?? "", problem.detail ?? "", retryAfter);
  }
}

declare const process: { argv: string[] };

async function main(api: string, waitlistId: string): Promise<void> {
  const waitlist = new Waitlist(api, waitlistId);
  const entry = await waitlist.join("ada", { name: "Ada" }, crypto.randomUUID());
  console.log("joined at", entry.position);
  for (;;) {
    const found = await waitlist.poll(entry);
    if (found.status === "offered") {
      const admission = await waitlist.enter(entry);
      console.log("entered with a pass of", admission.pass?.split(".").length, "parts");
      await waitlist.exit(entry);
      console.log("exited");
      return;
    }
    if (found.poll_after_seconds === null) {
      console.log("it is over:", found.status);
      return;
    }
    await pause(found.poll_after_seconds * (1 + Math.random() / 10));
  }
}

main(process.argv[2] ?? "", process.argv[3] ?? "");
