package dev.sallyport.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.control.account.ApiKeyDraft;
import dev.sallyport.control.account.NewApiKey;
import dev.sallyport.control.account.SignUp;
import dev.sallyport.control.account.SignUpDraft;
import dev.sallyport.control.account.Users;
import dev.sallyport.control.api.BodyBinder;
import dev.sallyport.control.model.Json;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.proxy.AuditHead;
import dev.sallyport.control.proxy.AuditHeads;
import dev.sallyport.control.proxy.NewProxy;
import dev.sallyport.control.proxy.Proxy;
import dev.sallyport.control.proxy.ProxyDraft;
import dev.sallyport.control.proxy.SharedProxies;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What the operator may do without a key. */
final class AdminCommands {

    private final Users users;
    private final Store store;
    private final KeyRotation rotation;
    private final SharedProxies proxies;
    private final AuditHeads heads;

    AdminCommands(Users users, Store store, KeyRotation rotation, SharedProxies proxies, AuditHeads heads) {
        this.heads = heads;
        this.users = users;
        this.store = store;
        this.rotation = rotation;
        this.proxies = proxies;
    }

    /** A new password. */
    record Reset(
            @Limits(min = 1, max = SignUpDraft.LONGEST_EMAIL)
            String email,

            @Limits(min = SignUpDraft.SHORTEST_PASSWORD, max = SignUpDraft.LONGEST_PASSWORD)
            String password) {

        @Override
        public String toString() {
            return "Reset[" + email + "]";
        }
    }

    /**
     * What came of a command.
     *
     * @param good whether it was done
     * @param lines what to print
     * @param warnings what to say beside it
     */
    record Outcome(boolean good, List<String> lines, List<String> warnings) {

        static Outcome done(List<String> lines) {
            return new Outcome(true, lines, List.of());
        }

        /** Without the lines, which may hold a token. */
        @Override
        public String toString() {
            return "Outcome[" + good + "]";
        }
    }

    /** Runs {@code {command, arguments}}. */
    Outcome run(JsonNode request) {
        try {
            return run(request.path("command").asText(), (ObjectNode) request.path("arguments"));
        } catch (Refusal refusal) {
            Stream<String> lines = refusal.fields().isEmpty()
                    ? Stream.of(refusal.text())
                    : refusal.fields().stream().map(problem -> problem.field() + ": " + problem.message());
            return new Outcome(false, lines.toList(), List.of());
        }
    }

    private Outcome run(String command, ObjectNode arguments) {
        return switch (command) {
            case "add-user" -> Outcome.done(addUser(arguments));
            case "add-key" -> Outcome.done(addKey(arguments));
            case "reset-password" -> Outcome.done(resetPassword(arguments));
            case "backup" -> Outcome.done(backup(arguments));
            case "rotate-key" ->
                Outcome.done(rotation.run(arguments.path("remove_old").asBoolean()));
            case "add-proxy" -> Outcome.done(addProxy(arguments));
            case "list-proxies" ->
                Outcome.done(
                        proxies.list().stream().flatMap(AdminCommands::lines).toList());
            case "revoke-proxy" -> Outcome.done(revokeProxy(arguments));
            case "proxy-head" -> proxyHead(arguments);
            default ->
                throw Refusal.badRequest(
                        "unknown command (expected: add-user, add-key, reset-password, backup, rotate-key, add-proxy, list-proxies, revoke-proxy, proxy-head)");
        };
    }

    private List<String> addUser(ObjectNode arguments) {
        SignUpDraft draft = BodyBinder.body(Json.bytes(arguments), SignUpDraft.class);
        SignUp made = users.add(draft, "").value();
        return List.of("user: " + made.user().id(), "key: " + made.apiKey().token());
    }

    private List<String> addKey(ObjectNode arguments) {
        ObjectNode rest = arguments.deepCopy();
        rest.remove("email");
        ApiKeyDraft draft = BodyBinder.body(Json.bytes(rest), ApiKeyDraft.class);
        NewApiKey key = users.addKey(arguments.path("email").asText(), draft).value();
        return List.of("key: " + key.token());
    }

    private List<String> backup(ObjectNode arguments) {
        Path file = Path.of(arguments.path("to").asText());
        try {
            store.backup(file);
        } catch (StoreException e) {
            throw Refusal.badRequest(e.getMessage() + " (expected: " + e.expected() + ")");
        }
        return List.of("backup: " + file, "the encryption key is not in it: keep that, too, and elsewhere");
    }

    private List<String> resetPassword(ObjectNode arguments) {
        Reset reset = BodyBinder.body(Json.bytes(arguments), Reset.class);
        users.resetPassword(reset.email(), reset.password());
        return List.of("the password is set; sessions of browsers have ended, keys stay valid");
    }

    private List<String> addProxy(ObjectNode arguments) {
        NewProxy made = proxies.create(BodyBinder.body(Json.bytes(arguments), ProxyDraft.class))
                .value();
        return List.of("proxy: " + made.id(), "token: " + made.token());
    }

    private List<String> revokeProxy(ObjectNode arguments) {
        Proxy revoked = proxies.revoke(arguments.path("name").asText()).value();
        return List.of("revoked: " + revoked.id());
    }

    /** The note of a chain as it was cosigned: that of which was heard last, unless the origin is given. */
    private Outcome proxyHead(ObjectNode arguments) {
        String name = arguments.path("name").asText();
        String origin = arguments.path("origin").asText();
        List<AuditHead> all = heads.ofShared(name);
        AuditHead head = all.stream()
                .filter(each -> origin.isEmpty() || each.origin().equals(origin))
                .findFirst()
                .orElseThrow(() -> Refusal.notFound(
                        "audit_head_not_found",
                        "no checkpoint of " + name + " is here (expected: log.audit.chain there"
                                + (origin.isEmpty() ? ")" : ", and an origin that it has)")));
        List<String> warnings = new ArrayList<>();
        for (AuditHead each : all) {
            if (each.contradiction() != null) {
                warnings.add("the log " + each.origin() + " of " + name
                        + " was cut off or rewritten: it has sent a checkpoint that contradicts the one kept");
            }
            if (origin.isEmpty() && !each.equals(head)) {
                warnings.add("another log of " + name + ": " + each.origin());
            }
        }
        return new Outcome(true, head.note().lines().toList(), warnings);
    }

    /** One for it, and one for each problem. */
    private static Stream<String> lines(Proxy proxy) {
        String status = Json.text(proxy.status()).replace("\"", "");
        Stream<String> line = Stream.of(proxy.name() + ": " + proxy.id() + " " + proxy.prefix() + " " + status
                + (proxy.tags().isEmpty() ? "" : " tags " + String.join(",", proxy.tags()))
                + (proxy.lastSeenAt() == null ? "" : " seen " + proxy.lastSeenAt()));
        return Stream.concat(
                line, proxy.problems().stream().map(problem -> "  " + problem.pointer() + ": " + problem.message()));
    }
}
