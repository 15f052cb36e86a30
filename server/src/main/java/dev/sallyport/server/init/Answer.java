package dev.sallyport.server.init;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a package manager says about its registries.
 *
 * @param manager its name
 * @param source how that is known, such as the command that was run; empty when nothing is
 * @param registries where it reads from; none when it is missing or does not say
 * @param note what else the reader must know, as a sentence without its end; empty for nothing
 */
record Answer(String manager, String source, List<Registry> registries, String note) {

    Answer {
        registries = List.copyOf(registries);
    }

    static Answer of(String manager, String source, Collection<Registry> registries, String note) {
        return new Answer(manager, source, List.copyOf(new LinkedHashSet<>(registries)), note);
    }

    /** There is no such tool. */
    static Answer missing(String manager) {
        return new Answer(manager, "", List.of(), "is not installed here, so nothing is let through for it");
    }

    /** The tool is there and names no registry. */
    static Answer silent(String manager, String why) {
        return new Answer(manager, "", List.of(), why + ", so nothing is let through for it (--allow HOST does)");
    }

    /** A line for people. */
    String line() {
        if (registries.isEmpty()) {
            return manager + " " + note;
        }
        String hosts = registries.stream().map(Registry::toString).collect(Collectors.joining(", "));
        return manager + ": " + hosts + " (" + source + ")" + (note.isEmpty() ? "" : "; " + note);
    }
}
