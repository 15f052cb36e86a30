package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.ApiRefusal;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.client.Pages;
import dev.sallyport.ctl.client.Reply;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import dev.sallyport.ctl.text.Json;
import dev.sallyport.ctl.text.Times;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code key}: keys of the API. */
@Command(name = "key", description = "API keys.")
final class KeyCommand {

    static final String PATH = "/v1/api-keys";

    private static final String ID = "key_";

    private static final View VIEW = new View(
            "keys",
            List.of(
                    View.Column.field("NAME", "/name"),
                    View.Column.field("ID", "/id"),
                    View.Column.field("PREFIX", "/prefix"),
                    View.Column.of("EXPIRES", KeyCommand::expires),
                    View.Column.of(
                            "AGE",
                            (key, now) -> Times.age(key.path("created_at").asText(), now))),
            key -> key.path("id").asText());

    private final Ctl ctl;

    KeyCommand(Ctl ctl) {
        this.ctl = ctl;
    }

    private static String expires(JsonNode key, Instant now) {
        JsonNode time = key.path("expires_at");
        return time.isTextual() ? Times.end(time.asText(), now) : "never";
    }

    /** {@code list}. */
    @Command(name = "list", description = "List the keys that were not revoked, the newest first.")
    int list(
            @Option(names = "--name", paramLabel = "NAME", description = "Only those of this name.") @Nullable String name,
            @Option(names = "--limit", paramLabel = "N", description = "At most so many; all by default.") @Nullable Integer limit,
            @Option(names = "--cursor", paramLabel = "CURSOR", description = "Go on where a list with --limit ended.")
                    @Nullable String cursor)
            throws Problem, InterruptedException {
        if (limit != null && limit < 1) {
            throw Problem.usage("--limit is out of range (expected: 1 or more)");
        }
        try (ApiClient api = ctl.signedIn()) {
            ObjectNode keys = Pages.collect(api, Call.get(PATH).query("name", name), limit, cursor);
            ctl.printer().list(keys, VIEW);
            return ExitCode.DONE;
        }
    }

    /** {@code create}. */
    @Command(name = "create", description = "Make a key; it is printed to standard output, this once.")
    int create(
            @Option(names = "--name", required = true, paramLabel = "NAME", description = "What it is called.")
                    String name,
            @Option(names = "--expires-at", paramLabel = "TIME", description = "Such as 2027-01-01T00:00:00Z.")
                    @Nullable String expiresAt,
            @Option(
                            names = "--expires-in",
                            paramLabel = "DURATION",
                            converter = DurationConverter.class,
                            description = "Such as 90d.")
                    @Nullable Duration expiresIn,
            @Option(
                            names = "--idempotency-key",
                            paramLabel = "KEY",
                            description = "For scripts that run again; a new one by default.")
                    @Nullable String idempotencyKey,
            @Mixin Waiting waiting)
            throws Problem, InterruptedException {
        Format format = ctl.format();
        if (format == Format.NAME || format == Format.WIDE) {
            throw Problem.usage("-o name and -o wide would lose the key (expected: json, yaml, or none)");
        }
        if (expiresAt != null && expiresIn != null) {
            throw Problem.usage("--expires-at together with --expires-in (expected: one of them)");
        }
        waiting.refuseOutOfRange();
        String end = expiresIn == null
                ? expiresAt
                : ctl.terminal().clock().instant().plus(expiresIn).toString();
        ObjectNode draft = Json.object().put("name", name);
        if (end != null) {
            draft.put("expires_at", end);
        }
        try (ApiClient api = ctl.signedIn()) {
            Call call = Call.post(PATH, draft).idempotencyKey(Idempotency.key(idempotencyKey));
            Reply reply = api.send(waiting.in(call));
            show(reply, format, waiting);
            waiting.check(reply); // last: the key is not shown again
            return ExitCode.DONE;
        }
    }

    private void show(Reply reply, Format format, Waiting waiting) throws Problem {
        if (format.isDocument()) {
            ctl.printer().one(reply, VIEW);
            return;
        }
        JsonNode key = reply.object();
        ctl.terminal().out().println(key.path("token").asText());
        ctl.terminal()
                .note(key.path("id").asText() + " created (name "
                        + key.path("name").asText() + ", expires "
                        + expires(key, ctl.terminal().clock().instant()) + ")" + waiting.suffix(reply)
                        + "; its text is not shown again");
    }

    /** {@code revoke}. */
    @Command(name = "revoke", description = "Revoke keys, at once. What one problem does not concern is done.")
    int revoke(
            @Parameters(arity = "1..*", paramLabel = "KEY", description = "Identifiers, or names that one key has.")
                    List<String> keys,
            @Option(names = "--ignore-not-found", description = "A key that is not there is no problem.")
                    boolean ignoreNotFound,
            @Mixin Waiting waiting)
            throws Problem, InterruptedException {
        waiting.refuseOutOfRange();
        return Batch.each(ctl, keys, ignoreNotFound, (api, key) -> {
            String id = id(api, key);
            Reply reply = api.send(waiting.in(Call.delete(Call.below(PATH, id))));
            ctl.gone(reply, id, "revoked", waiting);
        });
    }

    private static String id(ApiClient api, String key) throws Problem, InterruptedException {
        if (Identifiers.isOne(ID, key)) {
            return key;
        }
        JsonNode found =
                Pages.collect(api, Call.get(PATH).query("name", key), 2, null).path("data");
        return switch (found.size()) {
            case 0 ->
                throw ApiRefusal.notFound("no key is called " + key + " (expected: one of sallyport ctl key list)");
            case 1 -> found.get(0).path("id").asText();
            default ->
                throw new Problem(
                        ExitCode.REFUSED, "several keys are called " + key + " (expected: the identifier of one)");
        };
    }
}
