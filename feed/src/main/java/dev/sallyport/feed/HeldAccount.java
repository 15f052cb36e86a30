package dev.sallyport.feed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.core.PipelineSpec;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.core.WorkloadSpec;
import java.io.IOException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An account, as a proxy that accounts share has it: its pipeline with its secrets, and who may tell itself as a workload of
 * it. Immutable.
 *
 * @param workloads those that were made; each is its own user
 * @param keys users of one workload more, which is called like the account: their passwords do under any name
 */
record HeldAccount(String id, Snapshot snapshot, Set<Caller> workloads, Set<Caller> keys) {

    /** The pipeline of an account that holds no more. */
    static final String NOTHING = "{\"transforms\":[{\"name\":\"allowlist\",\"config\":{\"rules\":[]}}]}";

    private static final Pattern ID = Pattern.compile("[0-9A-Za-z_-]{1,64}");
    private static final int DIGEST_BYTES = 32;

    /**
     * Who may come in.
     *
     * @param sha256 the digest of a password, which is random and long, in hexadecimal
     */
    record Caller(String id, String sha256) {

        byte[] digest() {
            return HexFormat.of().parseHex(sha256);
        }
    }

    HeldAccount {
        workloads = Set.copyOf(workloads);
        keys = Set.copyOf(keys);
    }

    /** What identifies it in a text. */
    static String id(JsonNode json) throws UnusableSnapshotException {
        String id = json.path("account").asText();
        if (!ID.matcher(id).matches()) {
            throw new UnusableSnapshotException("an account without an identifier");
        }
        return id;
    }

    /**
     * Reads what came.
     *
     * @param held what it is a difference from; null for nothing
     * @param key of this proxy
     * @throws UnusableSnapshotException unless it is whole, and names nothing of another account
     */
    static HeldAccount of(JsonNode json, @Nullable HeldAccount held, BootKey key, Follower.Greeting greeting)
            throws UnusableSnapshotException {
        Credentials before = held == null ? Credentials.NONE : held.snapshot.credentials();
        Credentials credentials = json.has("secrets")
                ? Credentials.of(json.path("secrets"), before, key, greeting.proxy(), greeting.epoch())
                : before;
        refuseForeign(json, credentials);
        return of(json, Snapshot.of(json, held == null ? null : held.snapshot, credentials));
    }

    /** Reads what {@link #writeTo} has written. */
    static HeldAccount of(JsonNode json) throws UnusableSnapshotException {
        Credentials credentials =
                Credentials.of(json.path("secrets"), json.path("expired").asBoolean());
        refuseForeign(json, credentials);
        return of(json, Snapshot.of(json, null, credentials));
    }

    private static HeldAccount of(JsonNode json, Snapshot snapshot) throws UnusableSnapshotException {
        return new HeldAccount(id(json), snapshot, callers(json.path("workloads")), callers(json.path("keys")));
    }

    private static void refuseForeign(JsonNode json, Credentials credentials) throws UnusableSnapshotException {
        String own = id(json) + "/";
        if (!credentials.byId().keySet().stream().allMatch(secret -> secret.startsWith(own))) {
            throw new UnusableSnapshotException("a secret of another account");
        }
    }

    private static Set<Caller> callers(JsonNode list) throws UnusableSnapshotException {
        Set<Caller> callers = new HashSet<>();
        for (JsonNode each : list) {
            callers.add(new Caller(each.path("id").asText(), digest(each.path("sha256"))));
        }
        return callers;
    }

    private static String digest(JsonNode base64) throws UnusableSnapshotException {
        try {
            byte[] digest = base64.binaryValue();
            if (digest != null && digest.length == DIGEST_BYTES) {
                return HexFormat.of().formatHex(digest);
            }
        } catch (IOException e) {
            throw new UnusableSnapshotException("a password whose digest is not in Base64");
        }
        throw new UnusableSnapshotException("a password without a digest");
    }

    /** Writes it, with its secrets in clear. */
    void writeTo(ObjectNode json) {
        json.put("account", id)
                .put("format", Snapshot.FORMAT)
                .put("epoch", snapshot.epoch())
                .put("revision", snapshot.revision())
                .put("hash", snapshot.hash())
                .put("pipeline", snapshot.pipeline())
                .put("expired", snapshot.credentials().expired());
        snapshot.credentials().writeTo(json.putArray("secrets"));
        write(workloads, json.putArray("workloads"));
        write(keys, json.putArray("keys"));
    }

    private static void write(Set<Caller> callers, ArrayNode list) {
        callers.forEach(caller -> list.addObject().put("id", caller.id()).put("sha256", caller.digest()));
    }

    /** Whether another one says the same, whatever change it is of. */
    boolean saysTheSame(@Nullable HeldAccount other) {
        return other != null
                && snapshot.epoch().equals(other.snapshot.epoch())
                && snapshot.hash().equals(other.snapshot.hash())
                && snapshot.credentials().expired()
                        == other.snapshot.credentials().expired()
                && workloads.equals(other.workloads)
                && keys.equals(other.keys);
    }

    /** Tells who may come in; the control plane makes the same of what it would tell. */
    String callersHash() {
        StringBuilder text = new StringBuilder();
        lines("workload", workloads, text);
        lines("key", keys, text);
        return Snapshot.sha256(text.toString());
    }

    private static void lines(String kind, Set<Caller> callers, StringBuilder into) {
        callers.stream()
                .map(caller -> kind + " " + caller.id() + " " + caller.sha256() + "\n")
                .sorted()
                .forEach(into::append);
    }

    /** The names of its workloads at the proxy. */
    Set<String> names() {
        Set<String> names = new HashSet<>();
        workloads.forEach(workload -> names.add(workload.id()));
        if (!keys.isEmpty()) {
            names.add(id);
        }
        return names;
    }

    /** Adds its workloads and secrets to an update, and removes those that it had before. */
    void into(PipelineUpdate.Builder update, @Nullable HeldAccount before, String whyExpired) {
        if (before != null) {
            before.names().forEach(update::remove);
        }
        PipelineSpec pipeline = PipelineSpec.of(snapshot.pipeline());
        for (Caller workload : workloads) {
            update.upsert(spec(workload.id())
                    .userWithDigest(workload.id(), workload.digest())
                    .pipeline(pipeline)
                    .build());
        }
        if (!keys.isEmpty()) {
            WorkloadSpec.Builder keyed = spec(id).pipeline(pipeline);
            keys.forEach(key -> keyed.keyWithDigest(key.id(), key.digest()));
            update.upsert(keyed.build());
        }
        secretsInto(update, before, whyExpired);
    }

    /** Adds its secrets to an update, and removes those that it had before. */
    void secretsInto(PipelineUpdate.Builder update, @Nullable HeldAccount before, String whyExpired) {
        Set<String> earlier =
                before == null ? Set.of() : before.snapshot.credentials().byId().keySet();
        snapshot.credentials().into(update, snapshot.epoch(), earlier, whyExpired);
    }

    private WorkloadSpec.Builder spec(String name) {
        return WorkloadSpec.builder(name).attributes(Map.of(WorkloadSpec.ORGANIZATION, id));
    }

    /** Has an update remove it. */
    void outOf(PipelineUpdate.Builder update) {
        names().forEach(update::remove);
        snapshot.credentials().byId().keySet().forEach(update::removeSecret);
    }

    /** The same, without the values of secrets. */
    HeldAccount withoutValues() {
        return new HeldAccount(id, snapshot.withoutValues(), workloads, keys);
    }

    /** The same callers, who are refused everything. */
    HeldAccount refused() {
        return new HeldAccount(
                id,
                new Snapshot(
                        snapshot.epoch(), snapshot.revision(), Snapshot.sha256(NOTHING), NOTHING, Credentials.NONE),
                workloads,
                keys);
    }

    /** Without what it holds. */
    @Override
    public String toString() {
        return "HeldAccount[" + id + ", " + snapshot + "]";
    }
}
