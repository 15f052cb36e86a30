package dev.sallyport.core.tls;

import io.netty.handler.ssl.SslContext;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A context of the JDK's TLS, made when it is first needed; there is nothing to release. Thread-safe. */
final class LazyContext {

    private final Supplier<SslContext> maker;
    private volatile @Nullable SslContext made;

    LazyContext(Supplier<SslContext> maker) {
        this.maker = maker;
    }

    /** Whether {@link #get} returns at once. */
    boolean isMade() {
        return made != null;
    }

    SslContext get() {
        SslContext context = made;
        return context == null ? make() : context;
    }

    private synchronized SslContext make() {
        SslContext context = made;
        if (context == null) {
            context = maker.get();
            made = context;
        }
        return context;
    }
}
