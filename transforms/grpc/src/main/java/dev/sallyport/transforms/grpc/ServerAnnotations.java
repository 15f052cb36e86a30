package dev.sallyport.transforms.grpc;

import dev.sallyport.spi.Trace;
import java.util.Map;

/** Takes a server's annotations into the audit record, within bounds. */
final class ServerAnnotations {

    static final int MAX_ENTRIES = 64;
    static final int MAX_NAME = 64;
    static final int MAX_VALUE = 1024;

    private ServerAnnotations() {}

    static void take(Trace trace, Map<String, String> annotations) {
        int taken = 0;
        int cut = 0;
        for (Map.Entry<String, String> note : annotations.entrySet()) {
            if (taken == MAX_ENTRIES || note.getKey().length() > MAX_NAME) {
                cut++;
                continue;
            }
            taken++;
            cut += note.getValue().length() > MAX_VALUE ? 1 : 0;
            trace.annotate(note.getKey(), Texts.cut(note.getValue(), MAX_VALUE));
        }
        if (cut > 0) {
            trace.annotate("annotations_cut", cut);
        }
    }
}
