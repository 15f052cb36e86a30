package dev.sallyport.conformance.echo;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Every spelling of a credential in every place of a response. */
final class EchoCorpus {

    /** What stands behind a beginning that is all there is; none is a letter or a digit. */
    private static final List<String> DELIMITERS = List.of("", "\"", " and", "...", ",", "&a=b", "\\\"}");

    /** Where beginnings are written. */
    private static final Set<String> SOME_PLACES = Set.of(
            "reason",
            "field",
            "trailer",
            "body, text/plain",
            "chunks of one byte",
            "HTTP/2 trailer",
            "text message",
            "gRPC message",
            "gRPC status message",
            "gRPC details of a status, TLS");

    private static final int LONGEST = 80;

    private final Path folder;
    private final InetAddress address;
    private final String settings;
    private final int share;

    /**
     * @param address that of the origins
     * @param settings of the section {@code proxy}, in YAML flow style, behind a comma
     * @param share one of so many combinations is tried
     */
    EchoCorpus(Path folder, InetAddress address, String settings, int share) {
        this.folder = folder;
        this.address = address;
        this.settings = settings;
        this.share = share;
    }

    /** A proxy and an origin for one carrier. */
    EchoRun start(Carrier carrier) throws Exception {
        return new EchoRun(folder, address, settings, carrier);
    }

    /** Whole values: as they are in every place, and a share of the other spellings. */
    void wholes(EchoRun run) throws Exception {
        int count = run.carrier().name().length();
        EchoRun.When plain = run.carrier().lasts() ? EchoRun.When.LATER : EchoRun.When.AT_ONCE;
        for (EchoRun.When when : EchoRun.When.values()) {
            if (when != EchoRun.When.AT_ONCE && !run.carrier().lasts()) {
                continue;
            }
            run.when(when);
            for (Spelling spelling : Spelling.ALL) {
                for (Place place : Place.ALL) {
                    if (count++ % share == 0 || (when == plain && spelling.equals(Spelling.ALL.getFirst()))) {
                        run(run, spelling.name(), spelling.write(), place, true);
                    }
                }
            }
        }
    }

    /** Beginnings of values, of every length from where they tell something. */
    void beginnings(EchoRun run) throws Exception {
        List<Place> places = Place.ALL.stream()
                .filter(place -> SOME_PLACES.contains(place.name()))
                .toList();
        int known = run.carrier().known();
        int count = run.carrier().name().length();
        run.when(run.carrier().lasts() ? EchoRun.When.LATER : EchoRun.When.AT_ONCE);
        for (Spelling spelling : Spelling.SIMPLE) {
            for (int kept = known + Leaks.LEAST; kept < known + LONGEST; kept++) {
                for (Place place : places) {
                    if (count++ % share == 0) {
                        String behind = DELIMITERS.get(count % DELIMITERS.size());
                        run(
                                run,
                                spelling + ", cut before it at " + kept,
                                cutBefore(spelling, kept, behind),
                                place,
                                false);
                        run(run, spelling + ", cut behind it at " + kept, cutBehind(spelling, kept), place, false);
                    }
                }
            }
        }
    }

    private static void run(EchoRun run, String name, UnaryOperator<String> spelling, Place place, boolean whole)
            throws Exception {
        if (run.canBe(place)) {
            run.run(name, spelling, place, whole);
        }
    }

    private static UnaryOperator<String> cutBefore(Spelling spelling, int kept, String behind) {
        return value -> spelling.of(value.substring(0, Math.min(value.length(), kept))) + behind;
    }

    private static UnaryOperator<String> cutBehind(Spelling spelling, int kept) {
        return value -> {
            String whole = spelling.of(value);
            return whole.substring(0, Math.min(whole.length(), kept));
        };
    }
}
