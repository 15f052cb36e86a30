package dev.sallyport.ctl.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.client.Pages;
import dev.sallyport.ctl.problem.Problem;
import java.time.Clock;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What has to be done so that an account is as the files want it, in the order in which it is safe.
 *
 * @param others how many objects of the kinds in the files are in no file, and stay
 */
public record Plan(List<Change> changes, int others) {

    public Plan {
        changes = List.copyOf(changes);
    }

    /** Whether anything differs. */
    public boolean isEmpty() {
        return changes.stream().noneMatch(Change::isChange);
    }

    /**
     * How a plan is made.
     *
     * @param prune whether objects that are in no file go, of kinds that are in some
     * @param values whether values of secrets that are there are replaced: nobody can compare them
     * @param environment where {@code value_env} looks
     * @param clock tells how old something is that a run has left
     */
    public record Wishes(boolean prune, boolean values, Map<String, String> environment, Clock clock) {

        /** With the clock of this machine. */
        public Wishes(boolean prune, boolean values, Map<String, String> environment) {
            this(prune, values, environment, Clock.systemUTC());
        }

        /** Without the environment, which holds values. */
        @Override
        public String toString() {
            return "Wishes[" + prune + ", " + values + "]";
        }
    }

    /** Compares files with what is there. Blocks; changes nothing. */
    public static Plan of(Manifests manifests, ApiClient api, Wishes wishes) throws Problem, InterruptedException {
        Map<ObjectKind, Map<String, ObjectNode>> present = new EnumMap<>(ObjectKind.class);
        for (Manifest manifest : manifests.all()) {
            if (!present.containsKey(manifest.kind())) {
                present.put(manifest.kind(), read(api, manifest.kind()));
            }
        }
        List<Change> changes = new ArrayList<>();
        for (Manifest manifest : manifests.all()) {
            ObjectNode before =
                    Objects.requireNonNull(present.get(manifest.kind())).remove(manifest.name());
            changes.add(change(manifest, before, wishes));
        }
        List<Change> leftovers = new ArrayList<>();
        present.forEach((kind, left) -> left.forEach(
                (name, object) -> leftovers.add(new Change(Change.Action.PRUNE, kind, name, null, object, List.of()))));
        List<Change> bridges = leftovers.stream().filter(RuleBridge::isOne).toList();
        leftovers.removeAll(bridges);
        bridges.stream()
                .filter(bridge -> RuleBridge.isLeft(bridge, wishes.clock().instant()))
                .forEach(changes::add);
        if (wishes.prune()) {
            changes.addAll(leftovers);
        }
        changes.sort(SafeOrder.ORDER);
        return new Plan(changes, wishes.prune() ? 0 : leftovers.size());
    }

    private static Map<String, ObjectNode> read(ApiClient api, ObjectKind kind) throws Problem, InterruptedException {
        Map<String, ObjectNode> objects = new LinkedHashMap<>();
        if (kind.isSingle()) {
            objects.put("", (ObjectNode) api.send(Call.get(kind.path())).object());
            return objects;
        }
        JsonNode list = kind.isPolicy()
                ? api.send(Call.get(kind.path())).document()
                : Pages.collect(api, Call.get(kind.path()), null, null);
        list.path("data").forEach(object -> objects.put(kind.nameOf(object), (ObjectNode) object));
        return objects;
    }

    private static Change change(Manifest manifest, @Nullable ObjectNode before, Wishes wishes) throws Problem {
        ObjectNode wanted = manifest.fields();
        ValueSource value = manifest.value();
        if (before == null) {
            if (value != null) {
                value.read(wishes.environment()); // what is missing is told before anything is changed
            }
            return new Change(Change.Action.CREATE, manifest.kind(), manifest.name(), manifest, null, List.of());
        }
        List<FieldChange> fields;
        if (manifest.kind() == ObjectKind.ENVIRONMENT_VARIABLE) {
            String text = value == null ? wanted.path("value").asText() : value.read(wishes.environment());
            fields = text.equals(before.path("value").asText()) ? List.of() : List.of(FieldChange.value("value"));
        } else {
            fields = new ArrayList<>(Comparison.of(manifest.kind(), wanted, before));
            if (manifest.kind() == ObjectKind.SECRET && value != null && wishes.values()) {
                value.read(wishes.environment());
                fields.add(FieldChange.value("secret"));
            }
        }
        return new Change(
                fields.isEmpty() ? Change.Action.UNCHANGED : Change.Action.CONFIGURE,
                manifest.kind(),
                manifest.name(),
                manifest,
                before,
                fields);
    }
}
