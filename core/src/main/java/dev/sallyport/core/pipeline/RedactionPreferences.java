package dev.sallyport.core.pipeline;

import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.redact.RedactionPreference;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.SecretRef;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the redaction preferences of secrets in config records: in a {@link RedactResponse} beside them, or around
 * them.
 */
public final class RedactionPreferences {

    private static final ClassValue<Optional<Method>> SAYING = new ClassValue<>() {
        @Override
        protected Optional<Method> computeValue(Class<?> type) {
            for (RecordComponent component : type.getRecordComponents()) {
                if (component.getType() == RedactResponse.class) {
                    Method accessor = component.getAccessor();
                    accessor.setAccessible(true);
                    return Optional.of(accessor);
                }
            }
            return Optional.empty();
        }
    };

    private final String stage;
    private final Map<SecretRef, String> names;
    private final List<RedactionPreference> found;

    private RedactionPreferences(String stage, Map<SecretRef, String> names, List<RedactionPreference> found) {
        this.stage = stage;
        this.names = names;
        this.found = found;
    }

    /**
     * The preferences that the entries state; none for entries that state none.
     *
     * @param names the names of the secrets that they refer to
     */
    public static List<RedactionPreference> of(
            List<? extends TransformEntry<?>> entries, Map<SecretRef, String> names) {
        List<RedactionPreference> found = new ArrayList<>();
        for (TransformEntry<?> entry : entries) {
            new RedactionPreferences(entry.name(), names, found).record(entry.config(), null);
        }
        return found;
    }

    private void record(Record record, @Nullable RedactionPreference around) {
        Optional<Method> saying = SAYING.get(record.getClass());
        RedactionPreference wish = around;
        if (saying.isPresent()) {
            wish = new RedactionPreference(stage, "", (RedactResponse) SecretRefFinder.read(saying.get(), record));
            found.add(wish);
        }
        for (Object value : SecretRefFinder.values(record)) {
            value(value, wish);
        }
    }

    private void value(@Nullable Object value, @Nullable RedactionPreference wish) {
        if (value instanceof SecretRef ref) {
            String name = names.get(ref);
            if (wish != null && name != null) {
                found.add(new RedactionPreference(stage, name, wish.when()));
            }
        } else if (value instanceof Collection<?> list) {
            list.forEach(element -> value(element, wish));
        } else if (value instanceof Map<?, ?> map) {
            map.values().forEach(element -> value(element, wish));
        } else if (value instanceof Record record) {
            record(record, wish);
        }
    }
}
