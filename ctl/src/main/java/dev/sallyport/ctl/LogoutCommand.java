package dev.sallyport.ctl;

import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.ApiRefusal;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.context.Context;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import java.net.URI;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code logout}: forgets a key. */
@Command(
        name = "logout",
        description = "Forget the key that login has kept for the server, and revoke it if login made it.")
final class LogoutCommand implements Callable<Integer> {

    private final Ctl ctl;

    @Option(names = "--keep-key", description = "Forget it here only; the server is not asked.")
    boolean keepKey;

    LogoutCommand(Ctl ctl) {
        this.ctl = ctl;
    }

    @Override
    public Integer call() throws Problem, InterruptedException {
        Format format = ctl.format();
        URI server = ctl.signedInServer();
        Context context = ctl.contexts().find(server);
        if (context == null) {
            throw new Problem(ExitCode.NOT_SIGNED_IN, "not signed in at " + server + " (expected: a sign-in to end)");
        }
        if (context.device() && !keepKey) {
            revoke(ctl, context);
        }
        ctl.contexts().remove(server);
        if (!format.isDocument()) {
            ctl.terminal().note("Signed out of " + server + ".");
        }
        return ExitCode.DONE;
    }

    /** Revokes the key of a context; one that is not valid is revoked already. Blocks. */
    static void revoke(Ctl ctl, Context context) throws Problem, InterruptedException {
        Ctl.checkKey(context.key(), ctl.contexts().file().toString());
        try (ApiClient api = ApiClient.of(
                ctl.target(context.server(), context).as(context.key()),
                ctl.terminal().pause())) {
            String id = api.send(Call.get(WhoamiCommand.PATH))
                    .document()
                    .at("/api_key/id")
                    .asText();
            api.send(Call.delete(Call.below(KeyCommand.PATH, id)));
        } catch (ApiRefusal refusal) {
            if (refusal.status() != 401) {
                throw refusal;
            }
        }
    }
}
