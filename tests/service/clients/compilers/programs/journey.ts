// Two customers of a list, by the types that are generated from docs/openapi/guests.json.
import createClient from "openapi-fetch";
import type { components, paths } from "./api";

type Schemas = components["schemas"];

declare const process: { argv: [string, string, string, string] };
const [, , baseUrl, list] = process.argv;
const client = createClient<paths>({ baseUrl });

async function signUp(name: string, language: string | string[]): Promise<Schemas["SignupAnswer"]> {
  const { data, error } = await client.POST("/v1/waitlists/{waitlist_id}/entries", {
    params: { path: { waitlist_id: list }, header: { "Idempotency-Key": crypto.randomUUID() } },
    body: { customer_id: name, profile: {}, attributes: { language } },
  });
  if (data === undefined) throw new Error(describe(error));
  if (!("entry_id" in data)) throw new Error(data.status); // only of a list that verifies first
  const isLong = data.rank !== null && data.rank > 2 ** 31;
  console.log(`${name} signup: ${data.status} at ${data.position}, ${isLong}`);
  return data;
}

const asCustomer = (path: Schemas["SignupAnswer"], as = path) => ({
  params: { path: { waitlist_id: list, entry_id: path.entry_id } },
  headers: { Authorization: `Bearer ${as.entry_token}` },
});

async function look(entry: Schemas["SignupAnswer"]): Promise<void> {
  for (;;) {
    const { data, error } = await client.GET(ENTRY, asCustomer(entry));
    if (data === undefined) throw new Error(describe(error));
    if (data.status !== "waiting") {
      console.log(`ada look: ${data.status}, ${data.offered_until != null}`);
      return;
    }
    const pause = 1000 * (data.poll_after_seconds ?? 1);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

const ENTRY = "/v1/waitlists/{waitlist_id}/entries/{entry_id}";
const parts = (pass: string | null | undefined) => `${pass?.split(".").length} parts`;

const ada = await signUp("ada", ["English", "Spanish"]);
await look(ada);
const entered = await client.POST(`${ENTRY}/enter`, asCustomer(ada));
console.log(`ada pass: ${parts(entered.data?.pass)}`);
const again = await client.GET(`${ENTRY}/pass`, asCustomer(ada));
console.log(`ada pass again: ${parts(again.data?.pass)}`);
const out = await client.POST(`${ENTRY}/exit`, asCustomer(ada));
console.log(`ada exit: ${out.data?.exited_at != null}`);

const bob = await signUp("bob", "English");
await client.DELETE(ENTRY, asCustomer(bob));
const left = await client.GET(ENTRY, asCustomer(bob));
console.log(`bob leave: ${left.data?.status}`);
const refused = await client.GET(ENTRY, asCustomer(ada, bob));
console.log(`ada by bob: ${refused.error?.code}`);

// Only compiled: a body that is a choice.
export async function bump(entryId: string): Promise<void> {
  const body: Schemas["BumpToEnd"] = { to: "front", reason: "" };
  const path = { waitlist_id: list, entry_id: entryId };
  await client.POST("/v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/bump", {
    params: { path },
    body,
  });
}

// A code or a status that is new is text as any other: no case of a closed list.
function describe(problem: Schemas["Problem"]): string {
  return problem.code === "rebuilding" ? "try again" : (problem.detail ?? problem.message ?? "?");
}
