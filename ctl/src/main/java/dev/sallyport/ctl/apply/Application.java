package dev.sallyport.ctl.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.ApiRefusal;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.client.Reply;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Carries a plan out, one change after the other. Ends with the first that is refused: what follows may open what this one
 * should have limited. What somebody else has changed since it was compared is not overwritten: of policies the server
 * itself sees to that ({@code If-Match}), of other objects a look right before the change.
 */
public final class Application {

    private static final int NOT_FOUND = 404;
    private static final int PRECONDITION_FAILED = 412;
    private static final int INVALID = 422;

    /** No object of the API has this field. */
    private static final String NO_FIELD = "only_check";

    private static final String IF_MATCH = "If-Match";

    private final ApiClient api;
    private final Map<String, String> environment;
    private final UnaryOperator<Call> waiting;

    /**
     * Prepares it.
     *
     * @param environment where {@code value_env} looks
     * @param waiting makes calls wait: that of the last change, and that of the last one of which guests get something
     */
    public Application(ApiClient api, Map<String, String> environment, UnaryOperator<Call> waiting) {
        this.api = api;
        this.environment = Map.copyOf(environment);
        this.waiting = waiting;
    }

    /**
     * Changes what differs. Blocks.
     *
     * @param done receives each change when it has been made
     * @return the answers to the calls that waited
     */
    public List<Reply> run(Plan plan, Consumer<Change> done) throws Problem, InterruptedException {
        List<SafeOrder.Step> steps = SafeOrder.steps(plan.changes());
        SafeOrder.Step last = null;
        SafeOrder.Step ofGuests = null;
        for (SafeOrder.Step step : steps) {
            Change change = step.change();
            boolean rule = change.kind() == ObjectKind.EGRESS_RULE && change.action() == Change.Action.CONFIGURE;
            if (rule && !step.closes()) {
                located(change, () -> checked(change)); // before anything is deleted
            }
            last = step;
            ofGuests = change.kind().reachesGuests() ? step : ofGuests;
        }
        Map<String, Change> closed = new HashMap<>();
        List<Reply> answers = new ArrayList<>();
        for (SafeOrder.Step step : steps) {
            Change change = step.change();
            if (step.closes()) {
                closed.put(change.label(), located(change, () -> closed(change)));
            } else {
                boolean waits = step.equals(last) || step.equals(ofGuests);
                Change now = closed.getOrDefault(change.label(), change);
                Reply reply = located(change, () -> carriedOut(now, waits ? waiting : call -> call));
                if (waits) {
                    answers.add(reply);
                }
                done.accept(change);
            }
        }
        return answers;
    }

    private Reply carriedOut(Change change, UnaryOperator<Call> how) throws Problem, InterruptedException {
        return switch (change.action()) {
            case CREATE -> create(change, how);
            case CONFIGURE -> configure(change, how);
            case PRUNE -> prune(change, how);
            case UNCHANGED -> throw new IllegalArgumentException("nothing to do");
        };
    }

    /** A part of what is done. */
    @FunctionalInterface
    private interface Part<T> {

        T run() throws Problem, InterruptedException;
    }

    private static <T> T located(Change change, Part<T> part) throws Problem, InterruptedException {
        try {
            return part.run();
        } catch (Problem problem) {
            if (problem.exitCode() != ExitCode.REFUSED) {
                throw problem;
            }
            throw located(change, problem);
        }
    }

    /** The problem with the places in the file. */
    private static Problem located(Change change, Problem problem) {
        Manifest manifest = change.manifest();
        if (manifest == null) {
            return new Problem(problem.exitCode(), change.label() + ": " + problem.message(), problem.details());
        }
        List<String> details = problem.details().stream()
                .map(detail -> manifest.document().place(detail.replaceAll(":.*", "")) + ": " + detail)
                .toList();
        return new Problem(
                problem.exitCode(), manifest.place() + ": " + change.label() + ": " + problem.message(), details);
    }

    private Reply create(Change change, UnaryOperator<Call> how) throws Problem, InterruptedException {
        Manifest manifest = wanted(change);
        ObjectNode body = manifest.fields().deepCopy();
        return switch (change.kind()) {
            case ENVIRONMENT_VARIABLE -> {
                refusePresent(Call.below(manifest.kind().path(), manifest.name()));
                yield api.send(how.apply(putVariable(manifest)));
            }
            case SECRET -> {
                body.put("secret", value(manifest));
                yield api.send(how.apply(post(change.kind(), body)));
            }
            case EGRESS_RULE, SECRET_POLICY, MCP_POLICY, NETWORK_POLICY ->
                api.send(how.apply(post(change.kind(), body)));
            case EGRESS_POLICY -> throw new IllegalArgumentException("there is always one");
        };
    }

    /** A PUT would overwrite what somebody has made meanwhile. */
    private void refusePresent(String path) throws Problem, InterruptedException {
        try {
            api.send(Call.get(path));
        } catch (ApiRefusal refusal) {
            if (refusal.status() == NOT_FOUND) {
                return;
            }
            throw refusal;
        }
        throw changedMeanwhile();
    }

    private static Call post(ObjectKind kind, ObjectNode body) {
        return Call.post(kind.path(), body).idempotencyKey(UUID.randomUUID().toString());
    }

    private Call putVariable(Manifest manifest) throws Problem {
        ObjectNode body = manifest.fields().deepCopy();
        if (manifest.value() != null) {
            body.put("value", value(manifest));
        }
        return Call.put(Call.below(manifest.kind().path(), manifest.name()), body);
    }

    private String value(Manifest manifest) throws Problem {
        return Objects.requireNonNull(manifest.value()).read(environment);
    }

    private Reply configure(Change change, UnaryOperator<Call> how) throws Problem, InterruptedException {
        Manifest manifest = wanted(change);
        ObjectNode body = manifest.fields().deepCopy();
        return switch (change.kind()) {
            case EGRESS_RULE -> replaceRule(change, how);
            case ENVIRONMENT_VARIABLE -> {
                same(change);
                yield api.send(how.apply(putVariable(manifest)));
            }
            case EGRESS_POLICY -> {
                same(change);
                yield api.send(how.apply(Call.put(change.kind().path(), body)));
            }
            case SECRET -> {
                same(change);
                yield api.send(how.apply(Call.patch(path(change), patch(change, body))));
            }
            case SECRET_POLICY, MCP_POLICY, NETWORK_POLICY ->
                tagged(
                        Call.put(path(change), body)
                                .header(IF_MATCH, same(change).header("ETag")),
                        how);
        };
    }

    /** All fields: those that the file leaves out take their defaults. */
    private ObjectNode patch(Change change, ObjectNode fields) throws Problem {
        if (!fields.hasNonNull("hosts")) {
            fields.putArray("hosts").add("*");
        }
        if (!fields.hasNonNull("comment")) {
            fields.putNull("comment");
        }
        ObjectNode present = change.present();
        if (present != null
                && present.path(Comparison.PLAINTEXT).asBoolean()
                && !fields.hasNonNull(Comparison.PLAINTEXT)) {
            fields.put(Comparison.PLAINTEXT, false);
        }
        if (change.fields().stream().anyMatch(FieldChange::hidden)) {
            fields.put("secret", value(wanted(change)));
        }
        return fields;
    }

    /**
     * Asks whether the API would take a rule, since the present one has to be deleted before. The question has a field that
     * no rule has: it is refused in any case, with everything else that is wrong.
     */
    private boolean checked(Change change) throws Problem, InterruptedException {
        ObjectNode question = wanted(change).fields().deepCopy().put(NO_FIELD, true);
        Reply made;
        try {
            made = api.send(Call.post(change.kind().path(), question));
        } catch (ApiRefusal refusal) {
            List<String> wrong = refusal.details().stream()
                    .filter(detail -> !detail.startsWith(NO_FIELD))
                    .toList();
            if (refusal.status() != INVALID) {
                throw refusal;
            }
            if (!wrong.isEmpty()) {
                throw new Problem(
                        ExitCode.REFUSED,
                        "refused with 422 " + refusal.code() + ": " + wrong.size()
                                + (wrong.size() == 1 ? " field is wrong" : " fields are wrong"),
                        wrong);
            }
            return true;
        }
        // An API that overlooks what it does not know has made it.
        delete(Call.below(change.kind().path(), made.object().path("id").asText()), call -> call);
        return true;
    }

    /** Closes what the object will not let through any more; returns the change that is left. */
    private Change closed(Change change) throws Problem, InterruptedException {
        if (change.kind() == ObjectKind.EGRESS_RULE) {
            delete(path(change), call -> call);
            return change;
        }
        Call narrow = Call.put(path(change), Narrowing.of(change).body());
        Reply reply = tagged(narrow.header(IF_MATCH, same(change).header("ETag")), call -> call);
        return change.since((ObjectNode) reply.object());
    }

    /** Of a rule that leads elsewhere the old one is deleted by now; else a bridge keeps the destination open meanwhile. */
    private Reply replaceRule(Change change, UnaryOperator<Call> how) throws Problem, InterruptedException {
        Call create = post(change.kind(), wanted(change).fields().deepCopy());
        if (change.leadsElsewhere()) {
            return api.send(how.apply(create));
        }
        Reply bridge = api.send(post(change.kind(), RuleBridge.like(present(change))));
        delete(path(change), call -> call);
        Reply made = api.send(how.apply(create));
        try {
            delete(Call.below(change.kind().path(), bridge.object().path("id").asText()), call -> call);
        } catch (ApiRefusal refusal) {
            if (refusal.status() != NOT_FOUND) {
                throw refusal;
            }
        }
        return made;
    }

    private Reply prune(Change change, UnaryOperator<Call> how) throws Problem, InterruptedException {
        return switch (change.kind()) {
            case EGRESS_RULE -> delete(path(change), how);
            case ENVIRONMENT_VARIABLE, SECRET -> {
                same(change);
                yield delete(path(change), how);
            }
            case SECRET_POLICY, MCP_POLICY, NETWORK_POLICY ->
                tagged(Call.delete(path(change)).header(IF_MATCH, same(change).header("ETag")), how);
            case EGRESS_POLICY -> throw new IllegalArgumentException("it cannot go");
        };
    }

    private Reply delete(String path, UnaryOperator<Call> how) throws Problem, InterruptedException {
        return api.send(how.apply(Call.delete(path)));
    }

    private Reply tagged(Call call, UnaryOperator<Call> how) throws Problem, InterruptedException {
        try {
            return api.send(how.apply(call));
        } catch (ApiRefusal refusal) {
            throw refusal.status() == PRECONDITION_FAILED ? changedMeanwhile() : refusal;
        }
    }

    /** The object as it is, which must be as it was compared. */
    private Reply same(Change change) throws Problem, InterruptedException {
        Reply now;
        try {
            now = api.send(Call.get(path(change)));
        } catch (ApiRefusal refusal) {
            throw refusal.status() == NOT_FOUND ? changedMeanwhile() : refusal;
        }
        JsonNode before = present(change);
        if (!before.equals(now.object())) {
            throw changedMeanwhile();
        }
        return now;
    }

    private static Problem changedMeanwhile() {
        return new Problem(
                ExitCode.REFUSED, "it was changed meanwhile (expected: the object as it was compared; apply again)");
    }

    private static String path(Change change) {
        ObjectKind kind = change.kind();
        return switch (kind) {
            case EGRESS_POLICY -> kind.path();
            case ENVIRONMENT_VARIABLE -> Call.below(kind.path(), change.name());
            case EGRESS_RULE, SECRET, SECRET_POLICY, MCP_POLICY, NETWORK_POLICY ->
                Call.below(kind.path(), present(change).path("id").asText());
        };
    }

    private static Manifest wanted(Change change) {
        return Objects.requireNonNull(change.manifest());
    }

    private static ObjectNode present(Change change) {
        return Objects.requireNonNull(change.present());
    }
}
