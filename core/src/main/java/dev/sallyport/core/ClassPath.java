package dev.sallyport.core;

import io.netty.util.Version;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Explains a start that failed for libraries that do not fit: an application may bring a Netty of its own. */
final class ClassPath {

    /** What we are built with and tested on. */
    static final String NETTY = "4.2";

    private static final Logger LOG = LoggerFactory.getLogger(ClassPath.class);

    private ClassPath() {}

    /** What to say of a class, or a member of one, that is not as it was when this was compiled. */
    static StartException complaint(LinkageError fault) {
        LOG.debug("a class that does not fit", fault);
        Map<String, Integer> versions = new TreeMap<>();
        Version.identify(ClassPath.class.getClassLoader())
                .values()
                .forEach(version -> versions.merge(version.artifactVersion(), 1, Integer::sum));
        return StartException.of("a class does not fit: " + fault + "; Netty on the class path: "
                + (versions.isEmpty() ? "unknown" : String.join(", ", versions.keySet())) + " (expected: all of it "
                + NETTY + ", see sallyport-bom)");
    }
}
