package dev.sallyport.core;

import io.netty.util.Version;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Explains a start that failed because of incompatible libraries: an application may bring its own Netty. */
final class ClassPath {

    /** The version that the proxy is built with and tested on. */
    static final String NETTY = "4.2";

    private static final Logger LOG = LoggerFactory.getLogger(ClassPath.class);

    private ClassPath() {}

    /** Reports a class or member that differs from the one with which the proxy was compiled. */
    static StartException complaint(LinkageError fault) {
        LOG.debug("an incompatible class", fault);
        Map<String, Integer> versions = new TreeMap<>();
        Version.identify(ClassPath.class.getClassLoader())
                .values()
                .forEach(version -> versions.merge(version.artifactVersion(), 1, Integer::sum));
        return StartException.of("incompatible class: " + fault + "; Netty on the class path: "
                + (versions.isEmpty() ? "unknown" : String.join(", ", versions.keySet())) + " (expected: all of it "
                + NETTY + ", see sallyport-bom)");
    }
}
