// Two customers of a list, by the Java client that is generated from docs/openapi/guests.json.
import java.net.http.HttpClient;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import waitlist.ApiClient;
import waitlist.ApiException;
import waitlist.api.CustomerApi;
import waitlist.api.OperatorApi;
import waitlist.model.BumpBody;
import waitlist.model.BumpToEnd;
import waitlist.model.LookAnswer;
import waitlist.model.Problem;
import waitlist.model.SignupAnswer;
import waitlist.model.SignupBody;

public class Journey {
    private final ApiClient client = new ApiClient();
    private final CustomerApi api;
    private final String list;
    private String token = "";

    Journey(String url, String list) {
        client.updateBaseUri(url);
        // Without TLS, Java asks to change to HTTP/2 in each request, which the local run refuses.
        client.setHttpClientBuilder(HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1));
        client.setRequestInterceptor(request -> {
            if (!token.isEmpty()) request.header("Authorization", "Bearer " + token);
        });
        this.api = new CustomerApi(client);
        this.list = list;
    }

    public static void main(String[] arguments) throws Exception {
        new Journey(arguments[0], arguments[1]).run();
    }

    void run() throws Exception {
        SignupAnswer ada = signUp("ada", List.of("English", "Spanish"));
        look(ada);
        System.out.println("ada pass: " + parts(api.enter(list, ada.getEntryId(), null).getPass()));
        System.out.println("ada pass again: " + parts(api.getPass(list, ada.getEntryId(), null).getPass()));
        boolean isOut = api.exitEntry(list, ada.getEntryId(), null).getExitedAt() != null;
        System.out.println("ada exit: " + isOut);

        SignupAnswer bob = signUp("bob", "English");
        api.leave(list, bob.getEntryId(), null);
        System.out.println("bob leave: " + api.getEntry(list, bob.getEntryId(), null, null).getStatus());
        try {
            api.getEntry(list, ada.getEntryId(), null, null);
        } catch (ApiException error) {
            Problem problem = ApiClient.createDefaultObjectMapper().readValue(error.getResponseBody(), Problem.class);
            System.out.println("ada by bob: " + problem.getCode());
        }
    }

    SignupAnswer signUp(String name, Object language) throws ApiException {
        SignupBody body = new SignupBody().customerId(name).attributes(Map.of("language", language));
        token = "";
        SignupAnswer entry = api.signUp(list, body, UUID.randomUUID().toString(), null);
        token = entry.getEntryToken();
        boolean isLong = entry.getRank() > Integer.MAX_VALUE;
        System.out.println(name + " signup: " + entry.getStatus() + " at " + entry.getPosition() + ", " + isLong);
        return entry;
    }

    void look(SignupAnswer entry) throws Exception {
        LookAnswer found = api.getEntry(list, entry.getEntryId(), null, null);
        while (found.getStatus().equals("waiting")) {
            Thread.sleep(1000L * found.getPollAfterSeconds());
            found = api.getEntry(list, entry.getEntryId(), null, null);
        }
        System.out.println("ada look: " + found.getStatus() + ", " + (found.getOfferedUntil() != null));
    }

    static String parts(String pass) {
        return pass.split("\\.").length + " parts";
    }

    // Only compiled: a body that is a choice.
    int bump(OperatorApi operator, String entryId) throws ApiException {
        BumpToEnd front = new BumpToEnd().to(BumpToEnd.ToEnum.FRONT);
        return operator.bump(list, entryId, new BumpBody(front), null, null).getPriority();
    }
}
