/** True for a plain JSON object: not null, not an array. */
export function isJsonObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}
/** The member `key` of an object value, or undefined when the value is no object or lacks it. */
export function member(value, key) {
    return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
/** The string member `key`, or undefined when it is missing or of another type. */
export function textMember(value, key) {
    const found = member(value, key);
    return typeof found === 'string' ? found : undefined;
}
