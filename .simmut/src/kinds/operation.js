/** Nothing is proven yet. @param candidates what is there and may be the effect */
export function undecidedAmong(candidates) {
    return candidates.length === 0 ? { type: 'wait' } : { type: 'wait', shown: true };
}
