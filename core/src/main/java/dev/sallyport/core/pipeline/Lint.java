package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Part;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Finds orders of transforms that probably do not do what was meant. Warnings say what goes wrong and which two entries
 * to exchange; a configuration that the specification allows always loads unless {@code lint: strict} says otherwise.
 */
final class Lint {

    /**
     * A warning.
     *
     * @param position the later of the two entries
     */
    record Warning(int position, String text) {}

    private Lint() {}

    static List<Warning> check(List<Stage> stages) {
        List<Warning> warnings = new ArrayList<>();
        for (int later = 1; later < stages.size(); later++) {
            for (int earlier = 0; earlier < later; earlier++) {
                pair(stages.get(earlier), stages.get(later), warnings);
            }
        }
        return warnings;
    }

    private static void pair(Stage earlier, Stage later, List<Warning> warnings) {
        if (!Rules.mayOverlap(
                earlier.capabilities().scope(), later.capabilities().scope())) {
            return;
        }
        if (earlier.causes(Effect.INJECTS_CREDENTIAL) && later.causes(Effect.DISCLOSES_CONTENT)) {
            warnings.add(warning(
                    earlier,
                    later,
                    later.capabilities().seesCredentials()
                            ? "discloses the credentials that %s has put in"
                            : "sees requests after %s has put credentials in; they are masked"));
        }
        if (earlier.causes(Effect.STRIPS_UNKNOWN) && later.causes(Effect.INJECTS_CREDENTIAL)) {
            warnings.add(warning(earlier, later, "adds what %s no longer strips; headers added here are not checked"));
        }
        if (earlier.causes(Effect.SIGNS) && writesRequest(later)) {
            warnings.add(warning(earlier, later, "may change what %s has signed, which breaks the signature"));
        }
    }

    private static boolean writesRequest(Stage stage) {
        Set<Part> signed = EnumSet.of(
                Part.METHOD, Part.PATH, Part.QUERY, Part.REQUEST_HEADERS, Part.REQUEST_BODY, Part.REQUEST_TRAILERS);
        signed.retainAll(stage.capabilities().writes());
        return !signed.isEmpty();
    }

    private static Warning warning(Stage earlier, Stage later, String fault) {
        String who = "transforms[" + earlier.position() + "] (" + earlier.name() + ")";
        return new Warning(
                later.position(),
                "transforms[" + later.position() + "] (" + later.name() + ") " + fault.formatted(who)
                        + "; exchange the two entries");
    }
}
