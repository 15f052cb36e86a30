package dev.sallyport.core.secret;

import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.time.Duration;

/** The component {@code Duration ttl} that a source's config record may have. */
final class TtlField {

    private TtlField() {}

    /** The interval between reads; zero to read once, which is also the value of a record without the component. */
    static Duration of(Record config) {
        for (RecordComponent component : config.getClass().getRecordComponents()) {
            if (component.getName().equals("ttl") && component.getType() == Duration.class) {
                return read(component.getAccessor(), config);
            }
        }
        return Duration.ZERO;
    }

    private static Duration read(Method accessor, Record config) {
        try {
            accessor.trySetAccessible();
            return accessor.invoke(config) instanceof Duration ttl ? ttl : Duration.ZERO;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    config.getClass().getName() + ": ttl cannot be read (expected: an open or exported package)", e);
        }
    }
}
