package dev.sallyport.ctl;

import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.client.Reply;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import dev.sallyport.ctl.text.Json;
import dev.sallyport.ctl.text.Times;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code env}: variables that sandboxes get. */
@Command(name = "env", description = "Environment variables that sandboxes get.")
final class EnvCommand {

    private static final String PATH = "/v1/env";

    private static final View VIEW = new View(
            "environment variables",
            List.of(
                    View.Column.field("KEY", "/key"),
                    View.Column.field("VALUE", "/value").onlyWide(),
                    View.Column.of(
                            "UPDATED",
                            (variable, now) ->
                                    Times.age(variable.path("updated_at").asText(), now))),
            variable -> variable.path("key").asText());

    private final Ctl ctl;

    EnvCommand(Ctl ctl) {
        this.ctl = ctl;
    }

    /** {@code list}. */
    @Command(name = "list", description = "List variables, the newest first; -o wide and --json show their values.")
    int list(@Mixin PageOptions page) throws Problem, InterruptedException {
        page.refuseOutOfRange();
        try (ApiClient api = ctl.signedIn()) {
            ctl.printer().list(page.collect(api, Call.get(PATH)), VIEW);
            return ExitCode.DONE;
        }
    }

    /** {@code get}. */
    @Command(name = "get", description = "Print the value of a variable.")
    int get(@Parameters(paramLabel = "KEY", description = "Which variable.") String key)
            throws Problem, InterruptedException {
        try (ApiClient api = ctl.signedIn()) {
            Reply reply = api.send(Call.get(Call.below(PATH, key)));
            if (ctl.format() == Format.TABLE) {
                ctl.terminal().value(reply.object().path("value").asText());
            } else {
                ctl.printer().one(reply, VIEW);
            }
            return ExitCode.DONE;
        }
    }

    /** {@code set}. */
    @Command(name = "set", description = "Set a variable; without VALUE, standard input is the value.")
    int set(
            @Parameters(index = "0", paramLabel = "KEY", description = "Which variable.") String key,
            @Parameters(index = "1", arity = "0..1", paramLabel = "VALUE", description = "Its value.") @Nullable String value,
            @Mixin Waiting waiting)
            throws Problem, InterruptedException {
        waiting.refuseOutOfRange();
        try (ApiClient api = ctl.signedIn()) {
            String text = value == null ? ValueInput.all(ctl.terminal()) : value;
            Call call = Call.put(Call.below(PATH, key), Json.object().put("value", text));
            return ctl.changed(api.send(waiting.in(call)), VIEW, "set", waiting);
        }
    }

    /** {@code delete}. */
    @Command(name = "delete", description = "Delete variables. What one problem does not concern is done.")
    int delete(
            @Parameters(arity = "1..*", paramLabel = "KEY", description = "Which variables.") List<String> keys,
            @Option(names = "--ignore-not-found", description = "A variable that is not there is no problem.")
                    boolean ignoreNotFound,
            @Mixin Waiting waiting)
            throws Problem, InterruptedException {
        return Batch.delete(ctl, new Batch.Kind(PATH, "", "variable"), keys, ignoreNotFound, waiting);
    }
}
