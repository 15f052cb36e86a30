package dev.sallyport.core.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.spi.NullValue;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes a configuration as it is in force, with all defaults, in the words of the file. Every secret is {@value
 * #MASKED}: the value of each secret source, each text that may be one (see {@link dev.sallyport.spi.NoSecret}), and
 * passwords in URLs.
 */
public final class EffectiveConfig {

    private static final String MASKED = "***";

    /** The password of a URL in its user information; a user without a password may be a token. */
    private static final Pattern USER_INFORMATION = Pattern.compile("//(?:([^/?#@:\\s]*:)[^/?#\\s]+|[^/?#\\s]+)@");

    private static final Pattern PARAMETER = Pattern.compile("([?&;])([A-Za-z0-9_.-]+)=([^&;#\\s]*)");

    /** The names of parameters that carry secrets: as keys of texts, and those in which words are not set apart. */
    private static final Pattern SECRET_PARAMETER = Pattern.compile("(^|_)(key|sig|signature|pwd|authorization)(_|$)"
            + "|password|passwd|passphrase|secret|token|credential|apikey");

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private EffectiveConfig() {}

    /** The configuration as JSON, on one line. */
    public static String json(ProxyConfig config) {
        ObjectNode root = JSON.objectNode();
        root.set("dns", record(config.dns(), false));
        root.set("proxy", record(config.proxy(), false));
        root.set("tls", record(config.tls(), false));
        ArrayNode transforms = root.putArray("transforms");
        config.transforms().forEach(entry -> transforms.add(entry(entry)));
        if (config.management() != null) {
            root.set("management", record(config.management(), false));
        }
        root.set("metrics", record(config.metrics(), false));
        root.set("log", record(config.log(), false));
        config.sections().forEach(section -> root.set(section.name(), record(section.config(), false)));
        if (!config.workloads().isEmpty()) {
            ArrayNode workloads = root.putArray("workloads");
            config.workloads().forEach(workload -> workloads.add(workload(workload)));
        }
        config.companions().forEach(companion -> root.set(companion.name(), record(companion.config(), false)));
        try {
            return new ObjectMapper().writeValueAsString(root);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree that cannot be written", e);
        }
    }

    private static ObjectNode workload(WorkloadConfig workload) {
        ObjectNode node = JSON.objectNode().put("name", workload.name());
        ArrayNode ranges = node.putArray("source_cidrs");
        workload.sourceCidrs().forEach(range -> ranges.add(range.toString()));
        ArrayNode users = node.putArray("proxy_users");
        workload.proxyUsers().forEach(users::add);
        List<TransformEntry<?>> transforms = workload.transforms();
        if (transforms != null) {
            ArrayNode list = node.putArray("transforms");
            transforms.forEach(entry -> list.add(entry(entry)));
        }
        workload.sections().forEach(section -> node.set(section.name(), record(section.config(), false)));
        return node;
    }

    private static ObjectNode entry(TransformEntry<?> entry) {
        ObjectNode node = JSON.objectNode().put("name", entry.name());
        node.set("config", record(entry.config(), false));
        return node;
    }

    /** @param ofSource whether it belongs to a secret source, where any text may be the secret */
    private static ObjectNode record(Record record, boolean ofSource) {
        ObjectNode node = JSON.objectNode();
        Iterator<RecordShape.Field> fields =
                RecordShape.of(record.getClass()).fields().values().iterator();
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            RecordShape.Field field = fields.next();
            Object value = read(component, record);
            if (value != null) {
                boolean masked = (field.sensitive() || ofSource) && !field.noSecret();
                boolean texts = value instanceof Map && field.kind().innermost() == ScalarKind.TEXT;
                node.set(field.key(), texts ? texts((Map<?, ?>) value, masked) : value(value, masked, ofSource));
            } else if (field.mayBeDisabled()) {
                node.put(field.key(), ScalarKind.DISABLED);
            }
        }
        return node;
    }

    /** Texts by name: one whose name sounds like that of a secret may be one. */
    private static ObjectNode texts(Map<?, ?> values, boolean masked) {
        ObjectNode entries = JSON.objectNode();
        values.forEach((name, text) -> {
            String key = String.valueOf(name);
            entries.set(key, value(text, masked || isOfSecret(key), false));
        });
        return entries;
    }

    private static boolean isOfSecret(String name) {
        return RecordShape.SENSITIVE.matcher(words(name)).find();
    }

    /** A name as the file would spell it. */
    private static String words(String name) {
        return RecordShape.snakeCase(name.replace('-', '_').replace('.', '_'));
    }

    private static JsonNode value(Object value, boolean masked, boolean ofSource) {
        if (value instanceof SecretRef ref) {
            return reference(ref);
        }
        if (value instanceof Rule rule) {
            return rule(rule);
        }
        if (value instanceof TransformEntry<?> entry) {
            return entry(entry);
        }
        if (value instanceof Collection<?> list) {
            ArrayNode items = JSON.arrayNode();
            list.forEach(item -> items.add(value(item, masked, ofSource)));
            return items;
        }
        if (value instanceof Map<?, ?> map) {
            ObjectNode entries = JSON.objectNode();
            map.forEach((key, item) -> entries.set(String.valueOf(key), value(item, masked, ofSource)));
            return entries;
        }
        if (value instanceof Record record && ScalarKind.of(value.getClass()) == null) {
            return record(record, ofSource);
        }
        return scalar(value, masked);
    }

    private static JsonNode scalar(Object value, boolean masked) {
        if (value instanceof Boolean flag) {
            return JSON.booleanNode(flag);
        }
        if (value instanceof Integer || value instanceof Long) {
            return JSON.numberNode(((Number) value).longValue());
        }
        if (value instanceof Double number) {
            return JSON.numberNode(number);
        }
        if (value instanceof BigInteger number) {
            return JSON.numberNode(number);
        }
        if (value instanceof BigDecimal number) {
            return JSON.numberNode(number);
        }
        if (value instanceof NullValue) {
            return JSON.nullNode();
        }
        if (value instanceof Enum<?> constant) {
            return JSON.textNode(name(constant));
        }
        if (value instanceof Duration duration) {
            return JSON.textNode(Durations.format(duration));
        }
        if (value instanceof InetAddress address) {
            return JSON.textNode(address.getHostAddress());
        }
        if (value instanceof ProxyUrl parent) {
            return JSON.textNode(withLogin(parent));
        }
        String text = value.toString();
        return JSON.textNode(masked && value instanceof String && !text.isEmpty() ? MASKED : withoutPasswords(text));
    }

    private static String name(Enum<?> constant) {
        BindingKind.Choice choice = BindingKind.Choice.of(constant.getDeclaringClass());
        for (Map.Entry<String, Object> named : choice.constants().entrySet()) {
            if (named.getValue() == constant) {
                return named.getKey();
            }
        }
        throw new IllegalStateException(constant + ": not among " + choice.constants());
    }

    /** Where the secret is read, which is no secret, and in place of what was read there, nothing. */
    private static ObjectNode reference(SecretRef ref) {
        ObjectNode node = JSON.objectNode().put("type", ref.type());
        node.setAll(record(ref.config(), true));
        if (!ref.jsonKey().isEmpty()) {
            node.put("json_key", ref.jsonKey());
        }
        if (ref.optional()) {
            node.put("optional", true);
        }
        return node.put("value", MASKED);
    }

    private static ObjectNode rule(Rule rule) {
        ObjectNode node = JSON.objectNode();
        if (rule.host() != null) {
            node.put("host", rule.host());
        }
        if (rule.cidr() != null) {
            node.put("cidr", rule.cidr());
        }
        texts(node, "methods", rule.methods());
        texts(node, "paths", rule.paths());
        if (!rule.ports().isEmpty()) {
            ArrayNode ports = node.putArray("ports");
            rule.ports().forEach(ports::add);
        }
        Rule.Scheme scheme = rule.scheme();
        if (scheme != null) {
            node.put("scheme", name(scheme));
        }
        if (rule.exact()) {
            node.put("exact", true);
        }
        if (rule.keepOverrides()) {
            node.put("keep_overrides", true);
        }
        texts(node, "upgrade", rule.upgrade());
        return node;
    }

    private static void texts(ObjectNode node, String key, Collection<String> values) {
        if (!values.isEmpty()) {
            ArrayNode list = node.putArray(key);
            values.forEach(list::add);
        }
    }

    /** That there is a login, and not which. */
    private static String withLogin(ProxyUrl parent) {
        String login = parent.user() == null ? "" : MASKED + (parent.password() == null ? "@" : ":" + MASKED + "@");
        return parent.toString().replaceFirst("//", "//" + Matcher.quoteReplacement(login));
    }

    private static String withoutPasswords(String text) {
        if (!text.contains("://") && !text.startsWith("jdbc:")) {
            return text;
        }
        String url = USER_INFORMATION
                .matcher(text)
                .replaceAll(login ->
                        "//" + Matcher.quoteReplacement(Objects.requireNonNullElse(login.group(1), "")) + MASKED + "@");
        Matcher parameter = PARAMETER.matcher(url);
        StringBuilder shown = new StringBuilder();
        while (parameter.find()) {
            boolean secret = SECRET_PARAMETER.matcher(words(parameter.group(2))).find();
            String replacement = secret ? parameter.group(1) + parameter.group(2) + "=" + MASKED : parameter.group();
            parameter.appendReplacement(shown, Matcher.quoteReplacement(replacement));
        }
        return parameter.appendTail(shown).toString();
    }

    private static @Nullable Object read(RecordComponent component, Record from) {
        Method accessor = component.getAccessor();
        accessor.setAccessible(true); // Of a plug-in's record, which need not be public.
        try {
            return accessor.invoke(from);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException(from.getClass().getName() + ": cannot be read", e);
        }
    }
}
