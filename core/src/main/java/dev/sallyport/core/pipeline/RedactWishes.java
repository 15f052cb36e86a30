package dev.sallyport.core.pipeline;

import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.redact.Wish;
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

/** Finds what config records say of the secrets in them: in a {@link RedactResponse} beside these, or around them. */
public final class RedactWishes {

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
    private final List<Wish> found;

    private RedactWishes(String stage, Map<SecretRef, String> names, List<Wish> found) {
        this.stage = stage;
        this.names = names;
        this.found = found;
    }

    /**
     * What the entries say, none for those that say nothing.
     *
     * @param names of the secrets that they refer to
     */
    public static List<Wish> of(List<? extends TransformEntry<?>> entries, Map<SecretRef, String> names) {
        List<Wish> found = new ArrayList<>();
        for (TransformEntry<?> entry : entries) {
            new RedactWishes(entry.name(), names, found).record(entry.config(), null);
        }
        return found;
    }

    private void record(Record record, @Nullable Wish around) {
        Optional<Method> saying = SAYING.get(record.getClass());
        Wish wish = around;
        if (saying.isPresent()) {
            wish = new Wish(stage, "", (RedactResponse) SecretRefs.read(saying.get(), record));
            found.add(wish);
        }
        for (Object value : SecretRefs.values(record)) {
            value(value, wish);
        }
    }

    private void value(@Nullable Object value, @Nullable Wish wish) {
        if (value instanceof SecretRef ref) {
            String name = names.get(ref);
            if (wish != null && name != null) {
                found.add(new Wish(stage, name, wish.when()));
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
