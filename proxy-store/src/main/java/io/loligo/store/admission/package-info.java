/**
 * Decisions on which responses the tiers take, keep and give up. The front door and the disk tier
 * use it; it uses neither. The memory policy has no state; a disk admission is guarded by its
 * owner.
 */
@NullMarked
package io.loligo.store.admission;

import org.jspecify.annotations.NullMarked;
