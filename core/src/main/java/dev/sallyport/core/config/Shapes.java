package dev.sallyport.core.config;

import java.util.HashMap;
import java.util.Map;

/** The shapes of records, each looked at once. For one thread. */
final class Shapes {

    private final Map<Class<?>, Shape> known = new HashMap<>();

    /** The shape of a record; see {@link Shape#of}. */
    Shape of(Class<? extends Record> type) {
        Shape shape = known.get(type);
        if (shape == null) {
            shape = Shape.of(type);
            known.put(type, shape);
        }
        return shape;
    }

    /** Makes sure that configuration can be bound to a record and to all that it holds. */
    void verify(Class<? extends Record> type) {
        if (!known.containsKey(type)) {
            of(type).fields().values().forEach(field -> verify(field.kind()));
        }
    }

    private void verify(Kind kind) {
        switch (kind) {
            case Kind.Block block -> verify(block.type());
            case Kind.Many many -> verify(many.item());
            case Kind.Named named -> verify(named.value());
            default -> {}
        }
    }
}
