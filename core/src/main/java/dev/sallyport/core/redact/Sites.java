package dev.sallyport.core.redact;

import com.google.common.net.InternetDomainName;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The site of a host: its registrable domain, which is one label more than a suffix of the public suffix list; the last
 * two labels where no suffix of the list fits; a host that is itself a suffix, or an address, alone.
 */
final class Sites {

    private static final AtomicBoolean PREPARED = new AtomicBoolean();

    private Sites() {}

    /** Reads the list on a thread of its own, once: that takes 40 ms, and an event loop would be the first to need it. */
    static void prepare() {
        if (PREPARED.compareAndSet(false, true)) {
            Thread.ofVirtual().name("sallyport-sites").start(() -> of("www.example.com"));
        }
    }

    /** @param host a canonical host */
    static String of(String host) {
        String plain = spelled(host);
        if (host.indexOf(':') >= 0 || !InternetDomainName.isValid(plain)) {
            return host; // an address, or a name that no list has
        }
        InternetDomainName name = InternetDomainName.from(plain);
        if (name.isUnderPublicSuffix()) {
            return host.substring(
                    host.length() - name.topPrivateDomain().toString().length());
        }
        int last = host.lastIndexOf('.');
        return name.isPublicSuffix() || last < 0 ? host : host.substring(host.lastIndexOf('.', last - 1) + 1);
    }

    /** As domain names are spelled: underscores, and hyphens at the ends of labels, are in use all the same. */
    private static String spelled(String host) {
        StringBuilder plain = new StringBuilder(host);
        for (int i = 0; i < host.length(); i++) {
            char c = host.charAt(i);
            boolean atEnd = i == 0 || i + 1 == host.length() || host.charAt(i - 1) == '.' || host.charAt(i + 1) == '.';
            if (c == '_' || (c == '-' && atEnd)) {
                plain.setCharAt(i, 'x');
            }
        }
        return plain.toString();
    }
}
