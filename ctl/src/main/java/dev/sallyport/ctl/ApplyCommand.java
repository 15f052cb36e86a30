package dev.sallyport.ctl;

import dev.sallyport.ctl.apply.Manifests;
import dev.sallyport.ctl.apply.Plan;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.problem.Problem;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code apply}. */
@Command(
        name = "apply",
        description = "Make the account what files say: show what differs, then change it.",
        footerHeading = "%n",
        footer = {
            "Objects have a kind, and are told apart by their names. What somebody changes meanwhile is not",
            "overwritten. The first change that is refused ends it; run it again to go on."
        })
final class ApplyCommand implements Callable<Integer> {

    private final Ctl ctl;

    @Mixin
    Applying.Wanted wanted = new Applying.Wanted();

    @Option(names = "--dry-run", description = "Only show what differs; the exit code is 1 when something does.")
    boolean dryRun;

    @Mixin
    Waiting waiting = new Waiting();

    ApplyCommand(Ctl ctl) {
        this.ctl = ctl;
    }

    @Override
    public Integer call() throws Problem, InterruptedException {
        waiting.refuseOutOfRange();
        Applying applying = new Applying(ctl);
        Manifests manifests = applying.read(wanted);
        try (ApiClient api = ctl.signedIn()) {
            Plan plan = applying.plan(manifests, api, wanted);
            return dryRun ? applying.show(plan) : applying.apply(plan, api, waiting);
        }
    }
}
