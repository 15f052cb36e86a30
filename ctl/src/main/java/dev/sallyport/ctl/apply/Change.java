package dev.sallyport.ctl.apply;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.text.Json;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of one object.
 *
 * @param manifest as the file wants it; null for what is pruned
 * @param present as it was read; null for what is created
 * @param fields what differs, of an object that is configured
 */
public record Change(
        Action action,
        ObjectKind kind,
        String name,
        @Nullable Manifest manifest,
        @Nullable ObjectNode present,
        List<FieldChange> fields) {

    /** What is done. */
    public enum Action {
        /** There is none yet. */
        CREATE("created"),
        /** It differs. */
        CONFIGURE("configured"),
        /** It is as the file wants it. */
        UNCHANGED("unchanged"),
        /** It is in no file. */
        PRUNE("pruned");

        private final String done;

        Action(String done) {
            this.done = done;
        }

        /** The word for what has been done. */
        public String done() {
            return done;
        }
    }

    public Change {
        fields = List.copyOf(fields);
    }

    /** How messages name it. */
    public String label() {
        return kind.label(name);
    }

    /** Of a rule: whether it changes where it leads. */
    boolean leadsElsewhere() {
        return fields.stream().map(FieldChange::field).anyMatch(field -> field.equals("host") || field.equals("cidr"));
    }

    /** The same of an object that has become another one. */
    Change since(ObjectNode now) {
        return new Change(action, kind, name, manifest, now, fields);
    }

    /** Whether anything is to be done. */
    public boolean isChange() {
        return action != Action.UNCHANGED;
    }

    /** The lines for people that tell what differs. */
    public List<String> details() {
        return fields.stream().map(FieldChange::text).toList();
    }

    /** For programs; holds no value. */
    public ObjectNode json() {
        ObjectNode json = Json.object()
                .put("kind", kind.word())
                .put("name", name)
                .put("action", action.name().toLowerCase(Locale.ROOT));
        if (manifest != null) {
            json.put("place", manifest.place());
        }
        var list = json.putArray("fields");
        fields.forEach(field -> list.add(field.json()));
        return json;
    }

    /** Without the objects. */
    @Override
    public String toString() {
        return "Change[" + action + " " + label() + "]";
    }
}
