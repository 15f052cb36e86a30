package dev.sallyport.ctl;

import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.client.Reply;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import dev.sallyport.ctl.text.Json;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code egress}: what becomes of destinations that no rule lets through. */
@Command(name = "egress", description = "The egress policy of the account.")
final class EgressCommand {

    private static final String PATH = "/v1/egress/policy";

    private static final View VIEW = new View(
            "egress policies",
            List.of(View.Column.field("MODE", "/mode")),
            policy -> policy.path("mode").asText());

    private final Ctl ctl;

    EgressCommand(Ctl ctl) {
        this.ctl = ctl;
    }

    /** {@code get}. */
    @Command(name = "get", description = "Show the mode.")
    int get() throws Problem, InterruptedException {
        try (ApiClient api = ctl.signedIn()) {
            ctl.printer().one(api.send(Call.get(PATH)), VIEW);
            return ExitCode.DONE;
        }
    }

    /** {@code set}. */
    @Command(name = "set", description = "Set the mode.")
    int set(
            @Parameters(
                            paramLabel = "MODE",
                            description =
                                    "enforce refuses what no rule lets through; warn lets it through and records it.")
                    String mode,
            @Mixin Waiting waiting)
            throws Problem, InterruptedException {
        waiting.refuseOutOfRange();
        try (ApiClient api = ctl.signedIn()) {
            Reply reply = api.send(waiting.in(Call.put(PATH, Json.object().put("mode", mode))));
            return ctl.changed(reply, VIEW, "set", waiting);
        }
    }
}
