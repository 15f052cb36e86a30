package dev.sallyport.transforms.sigv4auth;

import org.jspecify.annotations.Nullable;

/** The real credentials. Thread-safe; never blocks. */
@FunctionalInterface
interface Credentials {

    /** The current credentials, or null when there are none: the same object as long as they do not change. */
    @Nullable Keys current();
}
