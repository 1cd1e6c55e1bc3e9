import { COMMAND_CODES } from './codes/command.js';
import { GIT_STATE_CODES } from './codes/git-state.js';
import { PLAN_FILE_CODES } from './codes/plan-files.js';
import { PLAN_TEXT_CODES } from './codes/plan-text.js';
import { RUN_CODES } from './codes/run.js';
import { STATE_CODES } from './codes/state.js';
export { EXIT } from './codes/row.js';
/** Every error and diagnostic code: who must act, the exit code, meaning and advice. The rows stand in `codes/`. */
export const ERROR_CODES = {
    ...COMMAND_CODES,
    ...PLAN_TEXT_CODES,
    ...PLAN_FILE_CODES,
    ...STATE_CODES,
    ...GIT_STATE_CODES,
    ...RUN_CODES,
};
