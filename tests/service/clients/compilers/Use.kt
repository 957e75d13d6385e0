// How a Kotlin application uses the client that is generated from docs/openapi/guests.json.
import waitlist.apis.CustomerApi
import waitlist.apis.OperatorApi
import waitlist.infrastructure.ClientError
import waitlist.infrastructure.ClientException
import waitlist.infrastructure.Serializer
import waitlist.models.BumpBody
import waitlist.models.BumpToEnd
import waitlist.models.Problem
import waitlist.models.SignupBody

fun signUp(api: CustomerApi, customerId: String, key: String): String =
    try {
        val entry = api.signUp("bakery", SignupBody(customerId = customerId), key)
        val position: Int? = entry.position
        "${entry.status} at $position"
    } catch (error: ClientException) {
        val body = (error.response as? ClientError<*>)?.body as? String
        val problem = Serializer.gson.fromJson(body, Problem::class.java)
        problem.detail ?: problem.message ?: "?"
    }

fun bump(api: OperatorApi, entryId: String): Int =
    api.bump("bakery", entryId, BumpBody(BumpToEnd(to = BumpToEnd.To.front))).priority
