// Two customers of a list, by the Kotlin client that is generated from docs/openapi/guests.json.
import java.util.UUID
import waitlist.apis.CustomerApi
import waitlist.apis.OperatorApi
import waitlist.infrastructure.ApiClient
import waitlist.infrastructure.ClientError
import waitlist.infrastructure.ClientException
import waitlist.infrastructure.Serializer
import waitlist.models.BumpToEnd
import waitlist.models.LookAnswer
import waitlist.models.Problem
import waitlist.models.SignupAnswer
import waitlist.models.SignupBody

fun main(arguments: Array<String>) {
    val (url, list) = arguments
    val api = CustomerApi(url)

    val ada = signUp(api, list, "ada", listOf("English", "Spanish"))
    look(api, list, ada)
    println("ada pass: ${api.enter(list, ada.entryId).pass!!.split(".").size} parts")
    println("ada pass again: ${api.getPass(list, ada.entryId).pass!!.split(".").size} parts")
    println("ada exit: ${api.exitEntry(list, ada.entryId).exitedAt != null}")

    val bob = signUp(api, list, "bob", "English")
    api.leave(list, bob.entryId)
    println("bob leave: ${api.getEntry(list, bob.entryId).status}")
    try {
        api.getEntry(list, ada.entryId)
    } catch (error: ClientException) {
        val body = (error.response as? ClientError<*>)?.body as? String
        println("ada by bob: ${Serializer.gson.fromJson(body, Problem::class.java).code}")
    }
}

fun signUp(api: CustomerApi, list: String, name: String, language: Any): SignupAnswer {
    val body = SignupBody(customerId = name, attributes = mapOf("language" to language))
    val entry = api.signUp(list, body, UUID.randomUUID().toString())
    ApiClient.accessToken = entry.entryToken
    println("$name signup: ${entry.status} at ${entry.position}, ${entry.rank!! > Int.MAX_VALUE}")
    return entry
}

fun look(api: CustomerApi, list: String, entry: SignupAnswer) {
    var found: LookAnswer = api.getEntry(list, entry.entryId)
    while (found.status == "waiting") {
        Thread.sleep(1000L * found.pollAfterSeconds!!)
        found = api.getEntry(list, entry.entryId)
    }
    println("ada look: ${found.status}, ${found.offeredUntil != null}")
}

// Only compiled: a body that is a choice.
fun bump(api: OperatorApi, list: String, entryId: String): Int =
    api.bump(list, entryId, BumpToEnd(to = BumpToEnd.To.front)).priority
