package dev.sallyport.core.config;

import java.util.Set;

/**
 * The section {@code control_plane} of iron-proxy (docs/spec/decisions.md, section 17). Its environment says where its
 * control plane is; the file can only say how often that is asked, so that the section has no effect here.
 */
final class ForeignControlPlane {

    private static final String SECTION = "control_plane";
    private static final Set<String> ITS_KEYS = Set.of("poll_interval");

    private ForeignControlPlane() {}

    /** The configuration without that section, with a warning; a section of Sallyport's own stays. */
    static ConfigNode.Mapping leaveOut(ConfigNode.Mapping root, Findings findings) {
        ConfigNode.Entry entry = root.entries().get(SECTION);
        if (entry == null
                || !(entry.value() instanceof ConfigNode.Mapping section)
                || !section.entries().keySet().equals(ITS_KEYS)) {
            return root;
        }
        findings.warning(
                entry.keyAt(),
                "/" + SECTION,
                "the section control_plane of iron-proxy has no effect here",
                "no such section, or the url of a control plane of Sallyport");
        return root.without(SECTION);
    }
}
