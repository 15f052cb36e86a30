package dev.sallyport.ctl;

import dev.sallyport.ctl.client.Pause;
import dev.sallyport.ctl.problem.Problem;
import dev.sallyport.ctl.text.Plain;
import java.io.InputStream;
import java.io.PrintWriter;
import java.time.Clock;
import java.util.Map;

/**
 * Where a command runs.
 *
 * @param environment environment variables
 * @param out standard output: what was asked for
 * @param err standard error: everything else
 */
record Terminal(
        Map<String, String> environment, InputStream in, PrintWriter out, PrintWriter err, Clock clock, Pause pause) {

    /** Writes a line that was asked for. */
    void line(String text) {
        out.println(Plain.clean(text));
    }

    /** Writes a value as it is: a line break follows only where people read it, which the launcher knows. */
    void value(String text) {
        out.print(text);
        if (Boolean.getBoolean("sallyport.tty")) {
            out.println();
        }
        out.flush();
    }

    /** Tells people something; keys are cut. */
    void note(String text) {
        err.println(Plain.masked(text));
    }

    /** Tells why a command ends; keys are cut. */
    void report(Problem problem) {
        note("sallyport: " + problem.message());
        problem.details().forEach(detail -> note("  " + detail));
    }

    /** Without the environment, which may hold a key. */
    @Override
    public String toString() {
        return "Terminal";
    }
}
