package dev.sallyport.core.tls;

/**
 * Names whose first label is no label of a host name (RFC 952, RFC 1123) and which browsers take all the same, such as
 * {@code my_app.example.com}: no certificate can name them, but the wildcard of their parent covers them
 * (docs/spec/decisions.md, section 20). Pure functions over canonical names.
 */
final class HostLabels {

    private HostLabels() {}

    /** Whether a name is of this kind, below a parent of at least two labels. */
    static boolean isBrowserOnly(String host) {
        int dot = host.indexOf('.');
        return dot > 0
                && host.indexOf('.', dot + 1) > 0
                && (host.charAt(0) == '-' || host.charAt(dot - 1) == '-' || host.lastIndexOf('_', dot) >= 0);
    }

    /** The wildcard of the parent. */
    static String wildcard(String host) {
        return "*" + host.substring(host.indexOf('.'));
    }

    /** The same name with another first label. */
    static String withLabel(String label, String host) {
        return label + host.substring(host.indexOf('.'));
    }
}
