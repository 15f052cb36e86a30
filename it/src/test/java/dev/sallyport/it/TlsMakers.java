package dev.sallyport.it;

import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.Security;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Notes which threads make contexts of the JDK's TLS, which are as without it. */
final class TlsMakers extends Provider implements AutoCloseable {

    private static final long serialVersionUID = 1L;

    private final transient Set<String> threads = ConcurrentHashMap.newKeySet();

    private TlsMakers() {
        super("TlsMakers", "1", "notes who makes contexts of TLS");
        Provider.Service real = Security.getProvider("SunJSSE").getService("SSLContext", "TLS");
        putService(new Provider.Service(this, "SSLContext", "TLS", real.getClassName(), null, Map.of()) {
            @Override
            public Object newInstance(Object parameter) throws NoSuchAlgorithmException {
                threads.add(Thread.currentThread().getName());
                return real.newInstance(parameter);
            }
        });
    }

    /** Until it is closed. */
    static TlsMakers watch() {
        TlsMakers makers = new TlsMakers();
        Security.insertProviderAt(makers, 1);
        return makers;
    }

    /** Their names. */
    Set<String> threads() {
        return threads;
    }

    @Override
    public void close() {
        Security.removeProvider(getName());
    }
}
