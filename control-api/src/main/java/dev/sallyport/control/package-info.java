/** Here the control plane will live: its resources, the policy feed and the web console; there is no code yet. */
@NullMarked
package dev.sallyport.control;

import org.jspecify.annotations.NullMarked;
