package dev.sallyport.control.audit;

import dev.sallyport.control.model.WithoutCaller;
import java.util.List;

/** Where events of proxies are kept. Thread-safe; blocks. */
public interface EgressIntake {

    /**
     * Keeps those events of some batches that are not here yet, all or none of them.
     *
     * @param batches each of another proxy
     */
    @WithoutCaller("whoever calls it has authenticated the proxies")
    void add(List<EgressBatch> batches);

    /** Writes what changes nothing; throws when nothing at all can be written, whatever it is. */
    @WithoutCaller("it shows nothing")
    void probe();
}
