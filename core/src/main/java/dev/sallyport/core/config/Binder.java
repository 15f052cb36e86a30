package dev.sallyport.core.config;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.NullValue;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Rule;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Binds nodes to records and reports everything that is wrong with them. For one thread. */
final class Binder {

    /** Stands for a value that could not be bound; the reason has been reported. */
    static final Outcome FAILED = Outcome.FAILED;

    /** The type of {@link #FAILED}. */
    enum Outcome {
        /** The only instance. */
        FAILED
    }

    private final Findings findings;
    private final Path folder;
    private final PluginBinder plugins;

    /**
     * A binder.
     *
     * @param folder the base of relative paths
     */
    Binder(PluginCatalog catalog, Path folder, Findings findings) {
        this.findings = findings;
        this.folder = folder;
        this.plugins = new PluginBinder(catalog, this, findings);
    }

    /** Makes a binder for records that plug-ins declare. */
    PluginBinder plugins() {
        return plugins;
    }

    /**
     * Binds a record. Where a part of it cannot be bound, that is reported and something else stands in its place, so
     * that the rest can be checked.
     *
     * @param sensitive whether no value may be shown
     * @param otherKeys keys that belong to other records
     * @return the record or {@link #FAILED}
     */
    Object block(
            Class<? extends Record> type, ConfigNode node, String pointer, boolean sensitive, Set<String> otherKeys) {
        ConfigNode.Mapping mapping = mapping(node, pointer, "a mapping");
        if (mapping == null) {
            return FAILED;
        }
        RecordShape shape = RecordShape.of(type);
        refuseUnknown(mapping, pointer, shape.keys(), otherKeys);
        @Nullable Object[] values = new Object[shape.fields().size()];
        boolean complete = true;
        int i = 0;
        for (RecordShape.Field field : shape.fields().values()) {
            Object value = field(sensitive ? field.asSensitive() : field, mapping, pointer);
            values[i] = value == FAILED ? standIn(field, mapping, pointer) : value;
            complete &= values[i++] != FAILED;
        }
        return complete ? construct(shape, values, mapping, pointer, sensitive) : FAILED;
    }

    /** The stand-in that a check of the other fields sees for a field that could not be bound. */
    private @Nullable Object standIn(RecordShape.Field field, ConfigNode.Mapping mapping, String pointer) {
        String child = Pointers.child(pointer, field.key());
        findings.touch(child);
        if (field.defaultText().isEmpty() && field.nullable()) {
            return null;
        }
        return field.defaultText().isEmpty()
                ? StandInValues.of(field.kind(), field.range(), folder, child)
                : value(field.kind(), field, TextNodes.of(field.kind(), field.defaultText(), mapping.at()), child);
    }

    /** The mapping that a node is, also an empty one written as nothing; null when it is none. */
    ConfigNode.@Nullable Mapping mapping(ConfigNode node, String pointer, String expected) {
        if (node instanceof ConfigNode.Mapping mapping) {
            return mapping;
        }
        if (node.isNull()) {
            return ConfigNode.Mapping.empty(node.at());
        }
        wrongType(node, pointer, expected);
        return null;
    }

    void refuseUnknown(ConfigNode.Mapping mapping, String pointer, Set<String> known, Set<String> otherKeys) {
        mapping.entries().forEach((key, entry) -> {
            if (!known.contains(key) && !otherKeys.contains(key)) {
                List<String> all = new ArrayList<>(known);
                all.addAll(otherKeys);
                plugins.unknownKey(entry.keyAt(), pointer, key, all);
                String meant = NearestKey.to(key, all);
                if (meant != null && mapping.get(meant) == null) {
                    findings.touch(Pointers.child(pointer, meant));
                }
            }
        });
    }

    private Object construct(
            RecordShape shape,
            @Nullable Object[] values,
            ConfigNode.Mapping mapping,
            String pointer,
            boolean sensitive) {
        FollowUpFilter followUps = new FollowUpFilter(pointer, findings);
        Record bound;
        try {
            bound = shape.create(values);
        } catch (IllegalArgumentException e) {
            if (followUps.isEmpty()) {
                findings.problem(mapping.at(), pointer, String.valueOf(e.getMessage()), "");
            }
            return FAILED;
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            if (followUps.isEmpty()) {
                boolean secret =
                        sensitive || shape.givesSecret(mapping.entries().keySet());
                ConfigException fault = PluginFault.inConstructor(shape.type(), e, secret);
                findings.problem(mapping.at(), pointer, String.valueOf(fault.getMessage()), fault.expected());
            }
            return FAILED;
        }
        if (bound instanceof SelfValidating checked) {
            checked.check(followUps.filter(problems(mapping, pointer)));
            checked.warn(followUps.filter((relative, message, expected) ->
                    findings.warning(Pointers.locate(mapping, relative), pointer + relative, message, expected)));
        }
        return bound;
    }

    /** Reports at the places to which pointers relative to a node refer. */
    Problems problems(ConfigNode node, String pointer) {
        return (relative, message, expected) -> {
            String below = Pointers.relative(relative);
            findings.problem(Pointers.locate(node, below), pointer + below, message, expected);
        };
    }

    private @Nullable Object field(RecordShape.Field field, ConfigNode.Mapping mapping, String pointer) {
        String child = Pointers.child(pointer, field.key());
        ConfigNode node = mapping.get(field.key());
        if (node != null && (!node.isNull() || field.kind() instanceof BindingKind.Any)) {
            return value(field.kind(), field, node, child);
        }
        Location at = node == null ? mapping.at() : node.at();
        if (node != null && field.nullable() && field.kind() instanceof BindingKind.Many) {
            // An absent field and an empty list mean different things: an invalid value must not become either.
            findings.problem(at, child, "no value", "a list, [] for an empty one, or omit the field");
            return FAILED;
        }
        if (field.required()) {
            if (!findings.isTouched(child)) {
                findings.problem(at, child, "missing field \"" + field.key() + "\"", field.expected());
            }
            return FAILED;
        }
        if (!field.defaultText().isEmpty()) {
            return value(field.kind(), field, TextNodes.of(field.kind(), field.defaultText(), at), child);
        }
        return absent(field, at, child);
    }

    private @Nullable Object absent(RecordShape.Field field, Location at, String pointer) {
        if (field.nullable()) {
            return null;
        }
        BindingKind kind = field.kind();
        if (kind instanceof BindingKind.Many) {
            return List.of();
        }
        if (kind instanceof BindingKind.Named) {
            return Map.of();
        }
        if (kind instanceof BindingKind.Block block) {
            return block(block.type(), ConfigNode.Mapping.empty(at), pointer, field.sensitive(), Set.of());
        }
        return kind == ScalarKind.BOOLEAN ? (Object) false : "";
    }

    /** Binds a value; null only for a listener that is switched off. */
    @Nullable Object value(BindingKind kind, RecordShape.Field field, ConfigNode node, String pointer) {
        if (kind instanceof ScalarKind scalar) {
            return scalar(scalar, field, node, pointer);
        }
        if (kind instanceof BindingKind.Choice choice) {
            return choice(choice, field, node, pointer);
        }
        if (kind instanceof BindingKind.Many many) {
            return list(many, field, node, pointer);
        }
        if (kind instanceof BindingKind.Named named) {
            return map(named, field, node, pointer);
        }
        if (kind instanceof BindingKind.Block block) {
            Set<String> sections = plugins.sectionsIn(block.type());
            return rule(block(block.type(), node, pointer, field.sensitive(), sections), node, pointer);
        }
        if (kind instanceof BindingKind.Reference) {
            return plugins.secret(node, pointer);
        }
        return kind instanceof BindingKind.Entry ? plugins.transform(node, pointer) : any(node, pointer);
    }

    private @Nullable Object scalar(ScalarKind kind, RecordShape.Field field, ConfigNode node, String pointer) {
        if (!(node instanceof ConfigNode.Scalar scalar) || !kind.accepts(scalar)) {
            String expected = field.kind() == kind ? field.expected() : kind.expected();
            wrongType(node, pointer, expected + quotes(kind, node));
            return FAILED;
        }
        if (field.mayBeDisabled() && scalar.text().equals(ScalarKind.DISABLED)) {
            return null;
        }
        try {
            Object value = kind.parse(scalar.text(), folder);
            Bounds.of(kind, field.range()).check(value);
            return value;
        } catch (BadValueException e) {
            badValue(field, scalar, pointer, e.message(), e.expected());
            return FAILED;
        }
    }

    private static String quotes(ScalarKind kind, ConfigNode node) {
        if (!(node instanceof ConfigNode.Scalar scalar) || scalar.isNull()) {
            return "";
        }
        if (!scalar.type().isString()) {
            return kind == ScalarKind.TEXT ? "; put it in quotes" : "";
        }
        return kind.accepts(ConfigNode.Type.ofPlain(scalar.text())) ? ", without quotes" : "";
    }

    private Object choice(BindingKind.Choice choice, RecordShape.Field field, ConfigNode node, String pointer) {
        if (!(node instanceof ConfigNode.Scalar scalar) || scalar.isNull()) {
            wrongType(node, pointer, choice.expected());
            return FAILED;
        }
        Object constant = choice.constants().get(scalar.text());
        if (constant == null) {
            badValue(field, scalar, pointer, "unknown value", choice.expected());
            return FAILED;
        }
        return constant;
    }

    private Object list(BindingKind.Many many, RecordShape.Field field, ConfigNode node, String pointer) {
        if (!(node instanceof ConfigNode.Sequence sequence)) {
            wrongType(node, pointer, "a list");
            return FAILED;
        }
        boolean rules = many.item() instanceof BindingKind.Block block && block.type() == RuleFields.class;
        List<Object> items = new ArrayList<>();
        for (int i = 0; i < sequence.items().size(); i++) {
            ConfigNode itemNode = sequence.items().get(i);
            Object item = rules ? RuleFields.plain(itemNode) : null;
            items.add(item == null ? element(many, field, itemNode, Pointers.child(pointer, i), rules) : item);
        }
        if (items.contains(FAILED)) {
            return FAILED;
        }
        List<Object> bound = List.copyOf(items);
        if (rules) {
            FollowUpFilter followUps = new FollowUpFilter(pointer, findings);
            RuleCheck.rules(allRules(bound), followUps.filter(problems(node, pointer)));
        }
        return bound;
    }

    private Object element(
            BindingKind.Many many, RecordShape.Field field, ConfigNode node, String pointer, boolean rule) {
        Object item = rule
                ? madeRule(block(RuleFields.class, node, pointer, field.sensitive(), Set.of()))
                : value(many.item(), field, node, pointer);
        return item == null || item == FAILED ? elementStandIn(many.item(), pointer) : item;
    }

    @SuppressWarnings("unchecked") // each was made as one, or stands in for one
    private static List<Rule> allRules(List<?> bound) {
        return (List<Rule>) bound;
    }

    /** Keeps the places of the other elements. */
    private Object elementStandIn(BindingKind kind, String pointer) {
        findings.touch(pointer);
        return StandInValues.of(kind, null, folder, pointer);
    }

    private Object rule(Object bound, ConfigNode node, String pointer) {
        Object made = madeRule(bound);
        if (made instanceof Rule rule) {
            FollowUpFilter followUps = new FollowUpFilter(pointer, findings);
            RuleCheck.rule(rule, followUps.filter(problems(node, pointer)));
        }
        return made;
    }

    private static Object madeRule(Object bound) {
        return bound instanceof RuleFields fields ? fields.rule() : bound;
    }

    private Object map(BindingKind.Named named, RecordShape.Field field, ConfigNode node, String pointer) {
        ConfigNode.Mapping mapping = mapping(node, pointer, "a mapping");
        if (mapping == null) {
            return FAILED;
        }
        Map<String, Object> values = new LinkedHashMap<>();
        mapping.entries().forEach((key, entry) -> {
            String child = Pointers.child(pointer, key);
            Object value = value(named.value(), field, entry.value(), child);
            values.put(key, value == null || value == FAILED ? elementStandIn(named.value(), child) : value);
        });
        return values.containsValue(FAILED) ? FAILED : Collections.unmodifiableMap(values);
    }

    private Object any(ConfigNode node, String pointer) {
        return switch (node) {
            case ConfigNode.Mapping mapping -> {
                Map<String, Object> values = new LinkedHashMap<>();
                mapping.entries()
                        .forEach((key, entry) -> values.put(key, any(entry.value(), Pointers.child(pointer, key))));
                yield values.containsValue(FAILED) ? FAILED : Collections.unmodifiableMap(values);
            }
            case ConfigNode.Sequence sequence -> {
                List<Object> items = new ArrayList<>();
                for (ConfigNode item : sequence.items()) {
                    items.add(any(item, Pointers.child(pointer, items.size())));
                }
                yield items.contains(FAILED) ? FAILED : List.copyOf(items);
            }
            case ConfigNode.Scalar scalar -> anyScalar(scalar, pointer);
        };
    }

    private Object anyScalar(ConfigNode.Scalar scalar, String pointer) {
        String text = scalar.text();
        try {
            return switch (scalar.type()) {
                case NULL -> NullValue.NULL;
                case BOOLEAN -> text.equalsIgnoreCase("true");
                case INTEGER -> integer(new BigInteger(text));
                case FLOAT -> new BigDecimal(text);
                case STRING, SWITCH, TEXT -> text;
            };
        } catch (NumberFormatException e) {
            findings.problem(scalar.at(), pointer, "not a decimal number", "a decimal number, or a string in quotes");
            return FAILED;
        }
    }

    private static Object integer(BigInteger value) {
        return value.bitLength() < Long.SIZE ? (Object) value.longValue() : value;
    }

    void wrongType(ConfigNode node, String pointer, String expected) {
        findings.problem(node.at(), pointer, "wrong type: " + node.description(), expected);
    }

    private void badValue(
            RecordShape.Field field, ConfigNode.Scalar scalar, String pointer, String message, String expected) {
        String shown = field.sensitive() ? "" : ": " + MessageText.of(scalar);
        findings.problem(scalar.at(), pointer, message + shown, expected);
    }
}
