package dev.sallyport.server.run;

import dev.sallyport.server.run.RunOptions.Isolation;
import dev.sallyport.server.run.RunOptions.Unlisted;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The command line of {@code sallyport run}. It is parsed here and not by picocli, whose classes would add a fifth to the
 * time until the program starts.
 */
final class RunArguments {

    /** Options with a value, in the next word or behind an equals sign. */
    static final Set<String> VALUED = Set.of(
            "--allow",
            "--secret",
            "--preset",
            "-c",
            "-config",
            "--config",
            "--replay",
            "--isolate",
            "--unix-socket",
            "--learn",
            "--audit");

    /** Options without. The launcher has the same ones, to know where the program begins. */
    static final Set<String> FLAGS = Set.of("--open", "--ask", "--inspect", "--quiet", "-h", "--help");

    private static final String END = "--";
    private static final Set<String> HELP_FLAGS = Set.of("-h", "--help");
    private static final String HELP = "see sallyport run --help";

    private final List<String> words;
    private int at;

    private final List<String> allow = new ArrayList<>();
    private final List<SecretOption> secrets = new ArrayList<>();
    private final List<String> presets = new ArrayList<>();
    private final List<String> unixSockets = new ArrayList<>();
    private Isolation isolation = Isolation.AUTO;
    private @Nullable Path config;
    private @Nullable Path audit;
    private @Nullable Path learn;
    private Unlisted unlisted = Unlisted.REFUSED;
    private boolean inspect;
    private boolean quiet;

    private RunArguments(List<String> words) {
        this.words = new ArrayList<>(words);
    }

    /** Whether help is asked for, and not of the program. */
    static boolean wantsHelp(List<String> words) {
        for (int i = 0; i < words.size() && isOption(words.get(i)); i++) {
            if (HELP_FLAGS.contains(words.get(i))) {
                return true;
            }
            if (VALUED.contains(words.get(i))) {
                i++;
            }
        }
        return false;
    }

    private static boolean isOption(String word) {
        return word.startsWith("-") && !word.equals(END);
    }

    /** @param words what follows {@code run} */
    static RunOptions parse(List<String> words) throws UsageException {
        return new RunArguments(words).parse();
    }

    private RunOptions parse() throws UsageException {
        while (at < words.size() && isOption(words.get(at))) {
            option(words.get(at++));
        }
        if (at < words.size() && words.get(at).equals(END)) {
            at++;
        }
        List<String> command = words.subList(at, words.size());
        if (command.isEmpty() || command.getFirst().isEmpty()) {
            throw new UsageException("no program to run", "sallyport run [OPTION]... -- COMMAND [ARGUMENT]...");
        }
        if (unlisted == Unlisted.LET_THROUGH && learn == null) {
            throw new UsageException("--open lets everything through, and is for learning", "--learn OUT.yaml with it");
        }
        return new RunOptions(
                new RunOptions.Policy(allow, secrets, presets, config, unlisted),
                isolation,
                new RunOptions.Output(inspect, audit, learn, quiet),
                unixSockets,
                command);
    }

    private void option(String word) throws UsageException {
        int equals = word.startsWith("--") ? word.indexOf('=') : -1;
        String name = equals < 0 ? word : word.substring(0, equals);
        if (equals >= 0 && FLAGS.contains(name)) {
            throw new UsageException(name + " takes no value", HELP);
        }
        if (equals >= 0) {
            words.set(--at, word.substring(equals + 1)); // it is read as the next word
        }
        switch (name) {
            case "--allow" -> allow.addAll(Arrays.asList(value(name).split(",", -1)));
            case "--secret" -> secrets.add(SecretOption.parse(value(name)));
            case "--preset" -> presets.addAll(Arrays.asList(value(name).split(",", -1)));
            case "--unix-socket" -> unixSockets.add(value(name));
            case "--isolate" -> isolation = isolation(value(name));
            case "--audit" -> audit = path(value(name));
            case "--learn" -> learn = path(value(name));
            case "--open" -> unlisted = unlisted(Unlisted.LET_THROUGH);
            case "--ask" -> unlisted = unlisted(Unlisted.ASKED_ABOUT);
            case "--inspect" -> inspect = true;
            case "--quiet" -> quiet = true;
            default -> {
                if (!VALUED.contains(name)) {
                    throw new UsageException("unknown option " + name, HELP);
                }
                if (config != null) {
                    throw new UsageException("two configurations", "one -config or --replay");
                }
                config = path(value(name));
            }
        }
    }

    private Unlisted unlisted(Unlisted wanted) throws UsageException {
        if (unlisted != Unlisted.REFUSED && unlisted != wanted) {
            throw new UsageException("--open lets everything through, and --ask asks", "one of them");
        }
        return wanted;
    }

    private String value(String name) throws UsageException {
        if (at >= words.size() || words.get(at).isEmpty()) {
            throw new UsageException(name + " needs a value", HELP);
        }
        return words.get(at++);
    }

    private static Path path(String text) throws UsageException {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new UsageException("no path: " + e.getReason(), "the path of a file");
        }
    }

    private static Isolation isolation(String text) throws UsageException {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "auto" -> Isolation.AUTO;
            case "netns" -> Isolation.NETNS;
            case "env" -> Isolation.ENV;
            default -> throw new UsageException("--isolate " + text + " is not known", "auto, netns or env");
        };
    }
}
