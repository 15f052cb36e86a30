package dev.sallyport.ctl;

import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import java.net.URI;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code whoami}: whose key it is. */
@Command(name = "whoami", description = "Show the server, and whom the key belongs to.")
final class WhoamiCommand implements Callable<Integer> {

    static final String PATH = "/v1/me";

    private final Ctl ctl;

    WhoamiCommand(Ctl ctl) {
        this.ctl = ctl;
    }

    static View view(URI server) {
        return new View(
                "users",
                List.of(
                        View.Column.of("SERVER", (me, now) -> server.toString()),
                        View.Column.field("USER", "/user/email"),
                        View.Column.field("ORGANIZATION", "/organization/name"),
                        View.Column.field("KEY", "/api_key/name"),
                        View.Column.field("KEY-ID", "/api_key/id").onlyWide(),
                        View.Column.field("USER-ID", "/user/id").onlyWide(),
                        View.Column.field("ORGANIZATION-ID", "/organization/id").onlyWide()),
                me -> me.at("/user/email").asText());
    }

    @Override
    public Integer call() throws Problem, InterruptedException {
        try (ApiClient api = ctl.signedIn()) {
            ctl.printer().one(api.send(Call.get(PATH)), view(api.server()));
        }
        return ExitCode.DONE;
    }
}
