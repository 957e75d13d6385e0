// How a TypeScript application uses the types that are generated from docs/openapi/guests.json.
import createClient from "openapi-fetch";
import type { components, paths } from "./api";

type Problem = components["schemas"]["Problem"];

const client = createClient<paths>({ baseUrl: "https://api.example.com" });

export async function signUp(customerId: string, key: string): Promise<string> {
  const { data, error } = await client.POST("/v1/waitlists/{waitlist_id}/entries", {
    params: { path: { waitlist_id: "bakery" }, header: { "Idempotency-Key": key } },
    body: { customer_id: customerId, profile: {}, attributes: { language: ["English", "Spanish"] } },
  });
  if (data === undefined) throw new Error(describe(error));
  const position: number | null | undefined = data.position;
  return `${data.status} at ${position}`;
}

export async function bump(entryId: string): Promise<void> {
  const body: components["schemas"]["BumpToEnd"] = { to: "front", reason: "" };
  const path = { waitlist_id: "bakery", entry_id: entryId };
  await client.POST("/v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/bump", {
    params: { path },
    body,
  });
}

// A code or a status that is new is text as any other: no case of a closed list.
function describe(problem: Problem): string {
  return problem.code === "rebuilding" ? "try again" : (problem.detail ?? problem.message ?? "?");
}
