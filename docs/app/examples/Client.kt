// A sample client: a customer joins a waitlist, waits, accepts an offer and goes out again.
// The arguments are the URL of the API and the id of the waitlist. Gson reads and writes JSON.
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import java.io.IOException
import java.net.HttpURLConnection
import java.net.URI
import java.util.UUID
import kotlin.math.min
import kotlin.math.pow
import kotlin.random.Random

const val TRIES = 8

/** An error response. `status` is 0 if no response arrived. */
class Problem(val status: Int, val code: String, detail: String, val retryAfter: Int = 1) : Exception(detail) {
    val isRetryable: Boolean
        get() = status in setOf(0, 429, 502, 503, 504) || (status == 500 && code.isEmpty())
}

class Entry(val id: String, val token: String, val position: Long?)

class Waitlist(api: String, waitlistId: String) {
    private val entries = "$api/v1/waitlists/$waitlistId/entries"

    /**
     * Signs up, and returns the entry with its token.
     *
     * Store `key` until the entry is stored. A repeat with the same key is the same signup.
     */
    fun join(customerId: String, profile: JsonObject, key: String): Entry {
        val body = JsonObject().apply {
            addProperty("customer_id", customerId)
            add("profile", profile)
        }
        val answer = call("POST", "", null, body, key)!!
        val position = answer["position"].takeUnless { it.isJsonNull }?.asLong
        return Entry(answer["entry_id"].asString, answer["entry_token"].asString, position)
    }

    fun poll(entry: Entry) = call("GET", "/${entry.id}", entry.token)!!

    fun enter(entry: Entry) = call("POST", "/${entry.id}/enter", entry.token)!!

    /** Passes the offer on to the next customer, and waits at the end of the queue. */
    fun decline(entry: Entry, offeredUntil: String): JsonObject {
        val body = JsonObject().apply {
            addProperty("to", "back")
            addProperty("offered_until", offeredUntil)
        }
        return call("POST", "/${entry.id}/decline", entry.token, body)!!
    }

    fun exit(entry: Entry) = call("POST", "/${entry.id}/exit", entry.token)

    fun leave(entry: Entry) = call("DELETE", "/${entry.id}", entry.token)

    /** Sends a request. Repeats it unchanged if the error may be temporary. */
    private fun call(
        method: String,
        path: String,
        token: String?,
        body: JsonObject? = null,
        key: String? = null,
    ): JsonObject? {
        var attempt = 0
        while (true) {
            try {
                return sendOnce(method, path, token, body, key)
            } catch (problem: Problem) {
                if (!problem.isRetryable || ++attempt == TRIES) throw problem
                pause(problem.retryAfter + Random.nextDouble() * min(2.0.pow(attempt - 1), 8.0))
            }
        }
    }

    private fun sendOnce(method: String, path: String, token: String?, body: JsonObject?, key: String?): JsonObject? {
        val connection = URI(entries + path).toURL().openConnection() as HttpURLConnection
        try {
            connection.requestMethod = method
            connection.connectTimeout = 10_000
            connection.readTimeout = 30_000
            if (token != null) connection.setRequestProperty("Authorization", "Bearer $token")
            if (key != null) connection.setRequestProperty("Idempotency-Key", key)
            if (body != null) {
                connection.setRequestProperty("Content-Type", "application/json")
                connection.doOutput = true
                connection.outputStream.use { it.write(body.toString().toByteArray()) }
            }
            val status = connection.responseCode
            val stream = if (status < 300) connection.inputStream else connection.errorStream
            val text = stream?.use { it.readBytes().decodeToString() } ?: ""
            val json = runCatching { JsonParser.parseString(text).asJsonObject }.getOrNull()
            if (status < 300) return json
            val retryAfter = min(connection.getHeaderFieldInt("Retry-After", 1), 30)
            throw Problem(status, json?.get("code")?.asString ?: "", json?.get("detail")?.asString ?: "", retryAfter)
        } catch (error: IOException) {
            throw Problem(0, "", error.toString())
        } finally {
            connection.disconnect()
        }
    }
}

fun pause(seconds: Double) = Thread.sleep((seconds * 1000).toLong())

fun main(arguments: Array<String>) {
    val waitlist = Waitlist(arguments[0], arguments[1])
    val profile = JsonObject().apply { addProperty("name", "Ada") }
    val entry = waitlist.join("ada", profile, UUID.randomUUID().toString())
    println("joined at ${entry.position}")
    while (true) {
        val found = waitlist.poll(entry)
        val status = found["status"].asString
        if (status == "offered") {
            val pass = waitlist.enter(entry)["pass"].asString
            println("entered with a pass of ${pass.split(".").size} parts")
            waitlist.exit(entry)
            println("exited")
            return
        }
        if (found["poll_after_seconds"].isJsonNull) {
            println("it is over: $status")
            return
        }
        pause(found["poll_after_seconds"].asDouble * (1 + Random.nextDouble() / 10))
    }
}
