package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.client.Reply;
import dev.sallyport.ctl.client.Target;
import dev.sallyport.ctl.context.Context;
import dev.sallyport.ctl.problem.Problem;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code login}: keeps a key for a server. */
@Command(
        name = "login",
        description = "Sign in: approve a code in a browser. The key is kept in ctl.json below the user's "
                + "configuration folder, readable for its owner alone.")
final class LoginCommand implements Callable<Integer> {

    private final Ctl ctl;

    @Option(names = "--with-key", description = "Read an API key from standard input instead, one line.")
    boolean withKey;

    LoginCommand(Ctl ctl) {
        this.ctl = ctl;
    }

    @Override
    public Integer call() throws Problem, InterruptedException {
        ctl.format(); // before anything is sent
        URI server = ctl.serverToSignInAt();
        @Nullable Context before = ctl.contexts().find(server);
        Target target = ctl.target(server, before);
        String key = withKey ? given() : approved(target);
        Reply me;
        try (ApiClient api = ApiClient.of(target.as(key), ctl.terminal().pause())) {
            me = api.send(Call.get(WhoamiCommand.PATH));
        }
        boolean insecure = ctl.insecureHttp || (before != null && before.insecureHttp());
        keep(new Context(server, key, !withKey, target.caCert(), insecure));
        if (before != null && before.device() && !before.key().equals(key)) {
            revoke(before, "the key of the sign-in before");
        }
        if (ctl.format() == Format.TABLE) {
            ctl.terminal().note("Signed in at " + server + " as " + who(me.document()) + ".");
        } else {
            ctl.printer().one(me, WhoamiCommand.view(server));
        }
        return 0;
    }

    /** Keeps a key; one that was made for this machine and cannot be kept is revoked. */
    private void keep(Context context) throws Problem, InterruptedException {
        try {
            ctl.contexts().save(context);
        } catch (Problem problem) {
            if (context.device()) {
                revoke(context, "the key that was made");
            }
            throw problem;
        }
    }

    /** As far as that is possible: it changes nothing of how the command ends. */
    private void revoke(Context context, String which) throws InterruptedException {
        try {
            LogoutCommand.revoke(ctl, context);
        } catch (Problem problem) {
            ctl.terminal()
                    .note("sallyport: warning: " + which + " stays valid: " + problem.message()
                            + " (expected: sallyport ctl key revoke)");
        }
    }

    private static String who(JsonNode me) {
        return me.at("/user/email").asText();
    }

    private String given() throws Problem {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(ctl.terminal().in(), StandardCharsets.UTF_8));
        try {
            String line = lines.readLine();
            String key = line == null ? "" : line.strip();
            Ctl.checkKey(key, "the first line of standard input");
            return key;
        } catch (IOException e) {
            throw Problem.usage("standard input cannot be read (expected: an API key, one line)");
        }
    }

    private String approved(Target target) throws Problem, InterruptedException {
        try (ApiClient api = ApiClient.of(target, ctl.terminal().pause())) {
            return new DeviceSignIn(api, ctl.terminal()).key();
        }
    }
}
