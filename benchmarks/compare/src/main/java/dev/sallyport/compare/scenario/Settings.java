package dev.sallyport.compare.scenario;

import java.time.Duration;

/**
 * How long and how much.
 *
 * @param rounds of each scenario
 * @param warmUp of each peer before the first round
 * @param window in which is counted
 * @param connections of closed loops
 * @param tunnels how many lie idle
 * @param streams of events
 * @param transferBytes size of one large body
 * @param idle how long a peer is left alone before its memory at rest is read
 * @param warmUpSeconds how long a cold peer is watched
 * @param soakMinutes how long the soak is
 */
public record Settings(
        int rounds,
        Duration warmUp,
        Duration window,
        int connections,
        int tunnels,
        int streams,
        long transferBytes,
        Duration idle,
        int warmUpSeconds,
        int soakMinutes) {}
