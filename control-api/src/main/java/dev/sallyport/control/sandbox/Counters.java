package dev.sallyport.control.sandbox;

import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.sandbox.Refused;
import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.sandbox.VmException;
import jakarta.inject.Singleton;
import java.util.concurrent.Semaphore;

/**
 * What the driver counts of VMs, which is asked for and kept nowhere. Thread-safe; blocks for the database, and after that for
 * the driver.
 */
@Singleton
public final class Counters {

    /** How many ask at a time: a driver that is slow is to hold few threads of the API. */
    private static final int PLACES = 8;

    private final Vms vms;
    private final VmDriver driver;
    private final Semaphore places = new Semaphore(PLACES);

    Counters(Vms vms, VmDriver driver) {
        this.vms = vms;
        this.driver = driver;
    }

    /** What was counted since its start: 404, then 409 unless it runs, then 503 when the driver does not tell. */
    public VmCounters of(Caller caller, String id) {
        VmRow row = vms.running(caller, id);
        if (!places.tryAcquire()) {
            throw Refusal.overloaded();
        }
        try {
            Refused counted = driver.refused(row.driverId());
            return new VmCounters(counted.packets(), counted.spoofed());
        } catch (VmException e) {
            throw Sandboxes.unavailable(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Refusal.overloaded();
        } finally {
            places.release();
        }
    }
}
