package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.apply.Application;
import dev.sallyport.ctl.apply.Change;
import dev.sallyport.ctl.apply.Manifests;
import dev.sallyport.ctl.apply.Plan;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.Reply;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import dev.sallyport.ctl.text.Json;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** What {@code apply} and {@code diff} have in common: how a plan is made, shown and carried out. */
final class Applying {

    private final Ctl ctl;

    Applying(Ctl ctl) {
        this.ctl = ctl;
    }

    /** Which files, and how far they go. */
    static final class Wanted {

        @Option(
                names = {"-f", "--filename"},
                required = true,
                paramLabel = "FILE|FOLDER",
                description = "YAML or JSON; of a folder, its files. Again for more; - is standard input.")
        List<String> sources = new ArrayList<>();

        @Option(names = "--prune", description = "Delete what no file has, of the kinds that some file has.")
        boolean prune;

        @Option(
                names = "--values",
                description = "Also replace the values of secrets that are there; nobody can compare them.")
        boolean values;
    }

    Manifests read(Wanted wanted) throws Problem {
        return Manifests.read(wanted.sources, ctl.terminal().in());
    }

    Plan plan(Manifests manifests, ApiClient api, Wanted wanted) throws Problem, InterruptedException {
        return Plan.of(
                manifests,
                api,
                new Plan.Wishes(
                        wanted.prune,
                        wanted.values,
                        ctl.terminal().environment(),
                        ctl.terminal().clock()));
    }

    /** Shows what differs; returns the exit code. */
    int show(Plan plan) throws Problem {
        Format format = ctl.format();
        if (format.isDocument()) {
            document(plan, List.of(), format);
        } else {
            describe(plan, format);
        }
        return plan.isEmpty() ? ExitCode.DONE : ExitCode.REFUSED;
    }

    /** Shows what differs, and changes it. */
    int apply(Plan plan, ApiClient api, Waiting waiting) throws Problem, InterruptedException {
        Format format = ctl.format();
        if (!format.isDocument()) {
            describe(plan, format);
        }
        List<Change> done = new ArrayList<>();
        try {
            List<Reply> waited = new Application(api, ctl.terminal().environment(), waiting::in).run(plan, change -> {
                done.add(change);
                if (!format.isDocument()) {
                    ctl.terminal()
                            .line(change.label()
                                    + (format == Format.NAME
                                            ? ""
                                            : " " + change.action().done()));
                }
            });
            for (Reply reply : waited) {
                waiting.check(reply);
            }
        } finally {
            if (format.isDocument()) {
                document(plan, done, format); // also of what was done before a problem
            }
        }
        return ExitCode.DONE;
    }

    private void describe(Plan plan, Format format) {
        if (format == Format.NAME) {
            return;
        }
        Terminal terminal = ctl.terminal();
        for (Change change : plan.changes()) {
            String what = change.action().done();
            terminal.line(change.label() + (change.isChange() ? " would be " + what : " " + what));
            change.details().forEach(detail -> terminal.line("  " + detail));
        }
        if (plan.others() > 0) {
            terminal.note(plan.others() + " more of these kinds are in no file, and stay; --prune deletes them");
        }
    }

    private void document(Plan plan, List<Change> done, Format format) {
        ObjectNode document = Json.object();
        var changes = document.putArray("changes");
        plan.changes().forEach(change -> changes.add(change.json().put("done", done.contains(change))));
        document.put("others", plan.others());
        PrintWriter out = ctl.terminal().out();
        out.println(format == Format.YAML ? Json.yaml(document) : Json.pretty(document));
    }
}
