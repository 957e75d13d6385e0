// A sample client: a customer joins a waitlist, waits, accepts an offer and goes out again.
// Run it with `Client http://127.0.0.1:8080 WAITLIST_ID`.
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let tries = 8

/// An error response. `status` is 0 if no response arrived.
struct Problem: Error {
    let status: Int
    let code: String
    let detail: String
    var retryAfter = 1.0

    var isRetryable: Bool {
        [0, 429, 502, 503, 504].contains(status) || (status == 500 && code.isEmpty)
    }
}

struct Entry: Decodable {
    let entry_id: String
    let entry_token: String
    let position: Int?
}

struct Poll: Decodable {
    let status: String
    let position: Int?
    let offered_until: String?
    let poll_after_seconds: Double?
}

struct Admission: Decodable {
    let pass: String?
    let inside_until: String?
}

private struct ProblemBody: Decodable {
    let code: String?
    let detail: String?
}

final class Waitlist {
    private let entries: String

    init(api: String, waitlistId: String) {
        entries = "\(api)/v1/waitlists/\(waitlistId)/entries"
    }

    /// Signs up, and returns the entry with its token.
    ///
    /// Store `key` until the entry is stored. A repeat with the same key is the same signup.
    func join(customerId: String, profile: [String: String], key: String) async throws -> Entry {
        let body: [String: Any] = ["customer_id": customerId, "profile": profile]
        return try read(await call("POST", "", body: body, key: key))
    }

    func poll(_ entry: Entry) async throws -> Poll {
        try read(await callEntry("GET", entry))
    }

    func enter(_ entry: Entry) async throws -> Admission {
        try read(await callEntry("POST", entry, "/enter"))
    }

    /// Passes the offer on to the next customer, and waits at the end of the queue.
    func decline(_ entry: Entry, offeredUntil: String) async throws {
        _ = try await callEntry("POST", entry, "/decline", ["to": "back", "offered_until": offeredUntil])
    }

    func exit(_ entry: Entry) async throws {
        _ = try await callEntry("POST", entry, "/exit")
    }

    func leave(_ entry: Entry) async throws {
        _ = try await callEntry("DELETE", entry)
    }

    private func callEntry(_ method: String, _ entry: Entry, _ rest: String = "", _ body: [String: Any]? = nil) async throws -> Data {
        try await call(method, "/\(entry.entry_id)\(rest)", token: entry.entry_token, body: body)
    }

    /// Sends a request. Repeats it unchanged if the error may be temporary.
    private func call(_ method: String, _ path: String, token: String? = nil, body: [String: Any]? = nil, key: String? = nil) async throws -> Data {
        var request = URLRequest(url: URL(string: entries + path)!, timeoutInterval: 30)
        request.httpMethod = method
        if let body {
            request.httpBody = try JSONSerialization.data(withJSONObject: body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        if let key { request.setValue(key, forHTTPHeaderField: "Idempotency-Key") }
        var attempt = 0
        while true {
            do {
                return try await sendOnce(request)
            } catch let problem as Problem where problem.isRetryable && attempt < tries - 1 {
                try await pause(problem.retryAfter + Double.random(in: 0..<1) * min(pow(2, Double(attempt)), 8))
                attempt += 1
            }
        }
    }

    private func sendOnce(_ request: URLRequest) async throws -> Data {
        let data: Data
        let response: URLResponse
        do {
            (data, response) = try await URLSession.shared.data(for: request)
        } catch {
            throw Problem(status: 0, code: "", detail: error.localizedDescription)
        }
        guard let answer = response as? HTTPURLResponse else { return data }
        if answer.statusCode < 300 { return data }
        let problem = try? JSONDecoder().decode(ProblemBody.self, from: data)
        let asked = answer.value(forHTTPHeaderField: "Retry-After").flatMap(Double.init) ?? 1
        throw Problem(status: answer.statusCode, code: problem?.code ?? "", detail: problem?.detail ?? "", retryAfter: min(asked, 30))
    }

    private func read<T: Decodable>(_ data: Data) throws -> T {
        try JSONDecoder().decode(T.self, from: data)
    }
}

func pause(_ seconds: Double) async throws {
    try await Task.sleep(nanoseconds: UInt64(seconds * 1_000_000_000))
}

@main
struct Client {
    static func main() async throws {
        let waitlist = Waitlist(api: CommandLine.arguments[1], waitlistId: CommandLine.arguments[2])
        let entry = try await waitlist.join(customerId: "ada", profile: ["name": "Ada"], key: UUID().uuidString)
        print("joined at \(entry.position.map(String.init) ?? "a position that is not known yet")")
        while true {
            let found = try await waitlist.poll(entry)
            if found.status == "offered" {
                let admission = try await waitlist.enter(entry)
                print("entered with a pass of \(admission.pass?.split(separator: ".").count ?? 0) parts")
                try await waitlist.exit(entry)
                print("exited")
                return
            }
            guard let seconds = found.poll_after_seconds else {
                print("it is over: \(found.status)")
                return
            }
            try await pause(seconds * (1 + Double.random(in: 0..<0.1)))
        }
    }
}
